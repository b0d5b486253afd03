import type { ClaimedOperation, Operation, OperationRequest, Operations } from '@retry/core/broker';
import type { OperationFigures } from '@retry/core/broker/kit';
import { keepableMs, listedOperations, operationOf } from '@retry/core/broker/kit';
import type { Database } from '../driver/database.ts';

/** An operation as the functions reply it. */
interface OperationReply {
  readonly request: OperationRequest;
  readonly figures: OperationFigures;
}

/** What `claim_operation` replies. */
interface ClaimReply extends OperationReply {
  /** The ids of its filter as JSON text. */
  readonly ids: string | null;
  readonly epoch: number;
  readonly progress: string | null;
  readonly now: number;
}

/** Returns the operations of a schema. */
export function createOperations(database: Database): Operations {
  const read = async (id: string | null): Promise<readonly Operation[]> => {
    const text = await database.call('read_operations', { id });
    const replied = JSON.parse(text ?? '[]') as readonly OperationReply[]; // what our own function builds
    return replied.map(({ request, figures }) => operationOf(request, figures));
  };
  return {
    put: async (request) => {
      const { ids, ...filter } = request.filter;
      const answer = await database.call('put_operation', {
        id: request.id,
        request: JSON.stringify({ ...request, filter }),
        ids: ids === undefined ? null : JSON.stringify(ids),
      });
      return answer as Awaited<ReturnType<Operations['put']>>; // what our own function replies
    },
    list: async () => listedOperations(await read(null)),
    get: async (id) => (await read(id))[0],
    claim: async ({ carrier, leaseMs, id = null }) => {
      const text = await database.call('claim_operation', { carrier, leaseMs: keepableMs(leaseMs), id });
      return text === null ? undefined : readClaim(JSON.parse(text) as ClaimReply); // what our own function builds
    },
    change: async (id, to) => {
      const answer = await database.call('change_operation', { id, to });
      return answer as Awaited<ReturnType<Operations['change']>>; // what our own function replies
    },
  };
}

function readClaim({ request, figures, ids, epoch, progress, now }: ClaimReply): ClaimedOperation {
  const operation = operationOf(request, figures);
  const filter =
    ids === null ? operation.filter : { ...operation.filter, ids: JSON.parse(ids) as readonly string[] }; // what we wrote
  return { operation: { ...operation, filter }, epoch, now, ...(progress !== null && { progress }) };
}
