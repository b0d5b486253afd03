import type { Operation, OperationRequest } from '../../operations.ts';
import { checkOperation } from '../check/check-bulk.ts';

/** The most operations that have not ended, and the most that have ended and are kept. */
export const MAX_OPERATIONS = 100;

/** What changes of an operation. */
export type OperationFigures = Omit<Operation, keyof OperationRequest>;

/**
 * Returns an operation as people see it. What the plan counted and a step never saw had changed before, so it counts as skipped
 * once an exact plan is done.
 */
export function operationOf(request: OperationRequest, figures: OperationFigures): Operation {
  const { ids: _, ...filter } = request.filter;
  const { state, done } = figures;
  const isWhole = state === 'done' && request.isPlanExact;
  const skipped = isWhole ? Math.max(figures.skipped, request.planned - done) : figures.skipped;
  return { ...request, filter, ...figures, skipped };
}

/**
 * Reads a stored operation. Returns `undefined` for what no broker has written: one wrong operation must not stop the others.
 *
 * @param id - under which it is stored
 * @param text - what was asked for, as JSON
 * @param ids - the ids of its filter, as JSON, if it has any
 */
export function readRequest(
  id: string,
  text: string,
  ids: string | null = null,
): OperationRequest | undefined {
  try {
    const stored = JSON.parse(text) as OperationRequest; // checked below
    const request =
      ids === null ? stored : { ...stored, filter: { ...stored.filter, ids: JSON.parse(ids) as string[] } };
    checkOperation(request);
    return request.id === id ? request : undefined;
  } catch {
    return undefined;
  }
}

/** Orders operations: the newest first. */
function compareOperations(one: Operation, other: Operation): number {
  return other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1);
}

/** Returns all operations that have not ended and the latest 100 others, newest first. */
export function listedOperations(operations: readonly Operation[]): readonly Operation[] {
  let ended = 0;
  return [...operations].sort(compareOperations).filter(({ endedAt }) => {
    if (endedAt === undefined) return true;
    ended += 1;
    return ended <= MAX_OPERATIONS;
  });
}
