/** The rules of operations on many dead letters, as pure functions of what their notes say. */
import type { OperationChange, OperationClaim, OperationRequest } from '../../operation.ts';
import { keepableMs } from '../storable/instants.ts';
import { compareText } from '../storable/texts.ts';
import type { FoundOperation, KeptOperation } from './kept-operation.ts';
import { hasEnded } from './kept-operation.ts';

/** The most operations that have not ended, and the most that have ended and are kept. */
export const MAX_OPERATIONS = 100;

/** What a step did. */
export interface StepFigures {
  /** Runs that were moved in the same write. */
  readonly done: number;
  /** Runs that were passed over. */
  readonly skipped: number;
  /** Where the next step begins. */
  readonly progress: string;
  /** Nothing is left. */
  readonly isLast: boolean;
}

/** Returns a new operation. */
export function newOperation({ filter, ...request }: OperationRequest, now: number): KeptOperation {
  const { ids, ...rest } = filter;
  return {
    request: { ...request, filter: rest },
    ...(ids !== undefined && { ids: ids.length }),
    ...{ state: 'running', createdAt: now, done: 0, skipped: 0 },
  };
}

/**
 * Returns the oldest running operation of these that no other carrier holds; of those of one instant, the first by id. `undefined`: there
 * is none.
 */
export function freeOperation(
  found: readonly FoundOperation[],
  { carrier }: OperationClaim,
  now: number,
): FoundOperation | undefined {
  const free = found.filter(
    (one) =>
      one.kept.state === 'running' && (one.kept.carrier === carrier || (one.kept.carriedUntil ?? 0) <= now),
  );
  return free.sort(compareAge)[0];
}

/** Returns an operation that its carrier has claimed. */
export function carriedBy(
  kept: KeptOperation,
  { carrier, leaseMs }: OperationClaim,
  now: number,
): KeptOperation {
  return { ...kept, carrier, carriedUntil: keepableMs(now + leaseMs) };
}

/** Whether the carrier has more than half of the lease left: then a claim writes nothing, as the step that follows does. */
export function isHeldLong(kept: KeptOperation, { carrier, leaseMs }: OperationClaim, now: number): boolean {
  return kept.carrier === carrier && (kept.carriedUntil ?? 0) > now + leaseMs / 2;
}

/** Returns a paused, resumed or cancelled operation; `undefined`: it has ended. */
export function changedTo(kept: KeptOperation, to: OperationChange): KeptOperation | undefined {
  return hasEnded(kept) ? undefined : { ...kept, state: to };
}

/** Returns an operation after a step, whose carrier holds it as it was claimed. */
export function steppedBy(
  kept: KeptOperation,
  { done, skipped, progress, isLast }: StepFigures,
): KeptOperation {
  return {
    ...kept,
    ...{ done: kept.done + done, skipped: kept.skipped + skipped, progress },
    ...(isLast && { state: 'done' as const }),
  };
}

/** Returns all operations that have not ended and the latest 100 others, newest first. */
export function listedOperations(found: readonly FoundOperation[]): readonly FoundOperation[] {
  let ended = 0;
  return [...found]
    .sort((one, other) => compareAge(other, one))
    .filter(({ kept }) => {
      if (!hasEnded(kept)) return true;
      ended += 1;
      return ended <= MAX_OPERATIONS;
    });
}

function compareAge(one: FoundOperation, other: FoundOperation): number {
  return one.kept.createdAt - other.kept.createdAt || compareText(one.id, other.id);
}
