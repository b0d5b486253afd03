import type { Broker, Operation, Operations } from '@retry/core/broker';
import type { AttendanceSource, FigureSources, OperationFigures } from '@retry/core/broker/kit';
import { listedOperations, operationOf } from '@retry/core/broker/kit';
import type { KeptOperation, PartOperations } from '../operations/operations.ts';

/** The broker of one partition. */
export interface Part extends Omit<Broker, 'attend' | 'figures'> {
  readonly ownOperations: PartOperations;
  /** Its lanes, as attendance asks for them. */
  readonly ownLanes: Pick<AttendanceSource, 'names' | 'depths'>;
  /** What operators ask about it. */
  readonly ownFigures: FigureSources;
}

/** The brokers of all partitions. */
export type Parts = readonly [Part, ...Part[]];

/**
 * Joins the operations of several partitions. The first one has the operations, where carriers claim them; each counts what is done
 * to its own runs.
 */
export function joinOperations(parts: Parts): Operations {
  const [home, ...others] = parts;
  const withCounts = async (kept: readonly KeptOperation[]): Promise<readonly Operation[]> => {
    const ids = kept.map(({ id }) => id);
    const counted = await Promise.all(others.map((part) => part.ownOperations.read(ids)));
    return kept.flatMap(({ id, request, figures }) => {
      const more = counted.flat().filter((one) => one.id === id);
      return request === undefined ? [] : [operationOf(request, sumOf(figures, more))];
    });
  };
  return {
    put: (request) => home.ownOperations.put(request),
    change: (id, to) => home.ownOperations.change(id, to),
    list: async () => listedOperations(await withCounts(await home.ownOperations.read())),
    get: async (id) => (await withCounts(await home.ownOperations.read([id])))[0],
    claim: async (claim) => {
      const got = await home.ownOperations.claim(claim);
      if (got === undefined) return undefined;
      const [operation] = await withCounts([got]);
      if (operation === undefined) return undefined;
      const { epoch, progress, now, request } = got;
      const whole = { ...operation, filter: request.filter };
      return { operation: whole, epoch, now, ...(progress !== undefined && { progress }) };
    },
  };
}

function sumOf(figures: OperationFigures, more: readonly KeptOperation[]): OperationFigures {
  const sum = (key: 'done' | 'skipped'): number =>
    more.reduce((total, one) => total + one.figures[key], figures[key]);
  return { ...figures, done: sum('done'), skipped: sum('skipped') };
}
