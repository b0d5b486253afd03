import type { OperationState } from '@retry/core/broker';
import type { ClaimedOperation, OperationStep } from '@retry/core/broker/kit';
import type { Model, Ripeness } from './broker-model.ts';

/** An operation on dead letters as the model keeps it. */
export interface ModelOperation {
  readonly planned: number;
  readonly isPlanExact: boolean;
  /** How many ids its filter has, if it has any. */
  readonly ids: number | undefined;
  /** How often time had passed before it came. */
  readonly cameAt: number;
  state: OperationState;
  /** How often it was written: a step is accepted while it is as it was claimed. */
  writes: number;
  done: number;
  skipped: number;
  progress: string | undefined;
  carrier: string | undefined;
  /** When the carrier loses it. */
  until: Ripeness;
  /** What the latest claims got, latest first. */
  readonly claims: ModelClaim[];
}

/** A claim of an operation. */
export interface ModelClaim {
  readonly claimed: ClaimedOperation;
  readonly carrier: string;
  readonly writes: number;
  until: Ripeness;
}

/** Keeps an operation, unless its id is known. */
export function modelPut(
  { operations, advances }: Model,
  { id, ...plan }: Pick<ModelOperation, 'planned' | 'isPlanExact' | 'ids'> & { readonly id: string },
): 'created' | 'exists' {
  if (operations.has(id)) return 'exists';
  const figures = { writes: 1, done: 0, skipped: 0, claims: [] };
  const free = { progress: undefined, carrier: undefined, until: 'now' } as const;
  operations.set(id, { ...plan, ...figures, ...free, state: 'running', cameAt: advances });
  return 'created';
}

interface AskedClaim {
  readonly carrier: string;
  readonly lease: Ripeness;
  readonly id?: string;
}

/** Returns the oldest running operation that is free to a carrier; of those that came together, the first one by id. */
export function modelFree({ operations }: Model, { carrier, id: wanted }: AskedClaim): string | undefined {
  const free = [...operations].filter(
    ([id, { state, until, carrier: other }]) =>
      state === 'running' &&
      (until === 'now' || other === carrier) &&
      (wanted === undefined || wanted === id),
  );
  free.sort(([left, one], [right, other]) => one.cameAt - other.cameAt || (left < right ? -1 : 1));
  return free[0]?.[0];
}

/** Notes that a carrier has got it. What it holds for long enough is not written. */
export function modelClaimOperation(
  operation: ModelOperation,
  { carrier, lease }: AskedClaim,
  claimed: ClaimedOperation,
): void {
  const order: readonly Ripeness[] = ['now', 'soon', 'never'];
  const isHeld = operation.carrier === carrier && operation.until !== 'now';
  if (!isHeld || order.indexOf(operation.until) < order.indexOf(lease)) {
    operation.writes += 1;
    operation.carrier = carrier;
    operation.until = lease;
  }
  operation.claims.unshift({ claimed, carrier, writes: operation.writes, until: lease });
}

/** Pauses, resumes or cancels an operation. */
export function modelChange(
  { operations }: Model,
  id: string,
  to: 'running' | 'paused' | 'cancelled',
): 'changed' | 'refused' | 'gone' {
  const operation = operations.get(id);
  if (operation === undefined) return 'gone';
  if (hasEnded(operation)) return 'refused';
  operation.state = to;
  operation.writes += 1;
  return 'changed';
}

/**
 * Makes a step: moves each run and counts, unless the operation was written since it was claimed.
 *
 * @param move - returns whether the run is moved
 */
export function modelStep(
  operation: ModelOperation,
  { carrier, writes, until }: ModelClaim,
  { ids, skipped, progress, isLast, move }: OperationStep & { readonly move: (id: string) => boolean },
): 'made' | 'fenced' {
  if (operation.state !== 'running' || operation.writes !== writes) return 'fenced';
  const done = ids.filter(move).length;
  operation.writes += 1;
  operation.carrier = carrier;
  operation.until = until;
  operation.progress = progress;
  operation.done += done;
  operation.skipped += skipped + ids.length - done;
  if (isLast) operation.state = 'done';
  return 'made';
}

/** What operators see of it. Of an exact plan that is done, what no step has seen was skipped. */
export function modelFigures({ planned, isPlanExact, state, done, skipped }: ModelOperation) {
  const isWhole = state === 'done' && isPlanExact;
  return { state, done, skipped: isWhole ? Math.max(skipped, planned - done) : skipped };
}

/** Lets time pass: carriers lose what they hold until soon. */
export function letLeasesEnd({ operations }: Model): void {
  for (const operation of operations.values())
    for (const held of [operation, ...operation.claims]) if (held.until === 'soon') held.until = 'now';
}

function hasEnded({ state }: ModelOperation): boolean {
  return state === 'done' || state === 'cancelled';
}
