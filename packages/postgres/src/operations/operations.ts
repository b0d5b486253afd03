import type { ClaimedOperation, Operation, Operations } from '@retry/core/broker';
import type { OperationFigures } from '@retry/core/broker/kit';
import { keepableMs, listedOperations, operationOf, readRequest } from '@retry/core/broker/kit';
import type { Database } from '../driver/database.ts';

/** An operation as the functions reply it. */
interface OperationReply {
  readonly id: string;
  /** As it is stored, which may be anything. */
  readonly request: string;
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
    return (JSON.parse(text ?? '[]') as readonly OperationReply[]).flatMap(readOperation); // what our own function builds
  };
  const change: Operations['change'] = async (id, to) => {
    const answer = await database.call('change_operation', { id, to });
    return answer as Awaited<ReturnType<Operations['change']>>; // what our own function replies
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
      for (;;) {
        const text = await database.call('claim_operation', { carrier, leaseMs: keepableMs(leaseMs), id });
        if (text === null) return undefined;
        const reply = JSON.parse(text) as ClaimReply; // what our own function builds
        const claimed = readClaim(reply);
        if (claimed !== undefined) return claimed;
        // No process can continue it, and it would hide those behind it.
        await change(reply.id, 'cancelled');
      }
    },
    change,
  };
}

function readOperation({ id, request: text, figures }: OperationReply): readonly Operation[] {
  const request = readRequest(id, text);
  return request === undefined ? [] : [operationOf(request, figures)];
}

function readClaim(reply: ClaimReply): ClaimedOperation | undefined {
  const { id, figures, ids, epoch, progress, now } = reply;
  const request = readRequest(id, reply.request, ids);
  if (request === undefined) return undefined;
  const operation = { ...operationOf(request, figures), filter: request.filter };
  return { operation, epoch, now, ...(progress !== null && { progress }) };
}
