import type { ClaimedOperation, OperationClaim, OperationRequest, Operations } from '@retry/core/broker';
import { listedOperations, MAX_OPERATIONS, operationOf } from '@retry/core/broker/kit';
import type { Store } from '../record/store.ts';
import type { KeptOperation } from './kept-operation.ts';

/** Keeps a new operation, and forgets the oldest of those that have ended. */
export function putOperation(
  { operations }: Store,
  request: OperationRequest,
  now: number,
): Awaited<ReturnType<Operations['put']>> {
  if (operations.has(request.id)) return 'exists';
  const active = [...operations.values()].filter(({ figures }) => figures.endedAt === undefined);
  if (active.length >= MAX_OPERATIONS) return 'full';
  const figures = { state: 'running', createdAt: now, updatedAt: now, done: 0, skipped: 0 } as const;
  const kept: KeptOperation = { request, figures, epoch: 0, stepped: 0, progress: undefined };
  operations.set(request.id, kept);
  const listed = new Set(listedOperations([...operations.values()].map(shown)).map(({ id }) => id));
  for (const id of operations.keys()) if (!listed.has(id)) operations.delete(id);
  return 'created';
}

/** Returns what is known of all operations, newest first. */
export function listOperations({ operations }: Store): Awaited<ReturnType<Operations['list']>> {
  return listedOperations([...operations.values()].map(shown));
}

/** Returns what is known of an operation. */
export function getOperation({ operations }: Store, id: string): Awaited<ReturnType<Operations['get']>> {
  const kept = operations.get(id);
  return kept && shown(kept);
}

/** Gives an operation to a carrier. The oldest comes first; of those of one instant, the first one by id. */
export function claimOperation(
  { operations }: Store,
  { carrier, leaseMs, id }: OperationClaim,
  now: number,
): ClaimedOperation | undefined {
  const [kept] = [...operations.values()]
    .filter(
      ({ request, figures }) =>
        figures.state === 'running' &&
        (id === undefined || request.id === id) &&
        (figures.carrier === carrier || (figures.carriedUntil ?? 0) <= now),
    )
    .sort(compareAge);
  if (kept === undefined) return undefined;
  kept.epoch += 1;
  kept.figures = { ...kept.figures, carrier, carriedUntil: now + leaseMs, updatedAt: now };
  const operation = { ...shown(kept), filter: kept.request.filter };
  const { epoch, progress } = kept;
  return { operation, epoch, now, ...(progress !== undefined && { progress }) };
}

/** Pauses, resumes or cancels an operation. */
export function changeOperation(
  { operations }: Store,
  [id, to]: Parameters<Operations['change']>,
  now: number,
): Awaited<ReturnType<Operations['change']>> {
  const kept = operations.get(id);
  if (kept === undefined) return 'gone';
  if (kept.figures.endedAt !== undefined) return 'refused';
  const ended = to === 'cancelled' ? { endedAt: now } : {};
  kept.figures = { ...kept.figures, state: to, updatedAt: now, ...ended };
  return 'changed';
}

function compareAge(one: KeptOperation, other: KeptOperation): number {
  return one.figures.createdAt - other.figures.createdAt || (one.request.id < other.request.id ? -1 : 1);
}

function shown({ request, figures }: KeptOperation): ReturnType<typeof operationOf> {
  return operationOf(request, figures);
}
