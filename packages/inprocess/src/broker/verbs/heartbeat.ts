import type { Beat, BeatAnswer, ExpiredScope, Run } from '@retry/core/broker';
import { sizedPage } from '@retry/core/broker';
import type { Entry } from '../record/entry.ts';
import { move } from '../record/entry.ts';
import { peekUpTo, rerank } from '../record/heap.ts';
import type { Store } from '../record/store.ts';
import { withoutPayload } from './list.ts';

/** Extends a lease to `leaseMs` from now, if whoever asks still holds it; it never shrinks. */
export function beat(
  store: Store,
  { id, epoch }: Beat,
  { now, leaseMs }: { readonly now: number; readonly leaseMs: number },
): BeatAnswer {
  const entry = store.entries.get(id);
  if (entry === undefined) return 'gone';
  if (entry.run.state !== 'started' || entry.run.epoch !== epoch) return 'fenced';
  rerank(store.leases, entry, Math.max(entry.rank, now + leaseMs));
  entry.run = move(entry.run, { type: 'heartbeat', at: now });
  return entry.run.isCancelRequested === true ? 'cancel' : 'ok';
}

/** Started runs of these lanes whose lease has run out, longest ago first. */
export function findExpiredRuns(
  store: Store,
  { limit, lanes, exceptLanes }: ExpiredScope & { readonly limit: number },
  now: number,
): readonly Run[] {
  const only = lanes && new Set(lanes);
  const except = new Set(exceptLanes);
  const isMeant = ({ run: { lane } }: Entry): boolean => (only?.has(lane) ?? true) && !except.has(lane);
  // The limit counts runs of these lanes only: expired runs that no worker can settle hide none of the others.
  const expired = peekUpTo(store.leases, { rank: now, limit }, isMeant);
  return sizedPage(expired.map(({ run }) => withoutPayload(run)));
}

/** Those of the leases that have a cancel request. */
export function isCancelRequested(store: Store, { id, epoch }: Beat): boolean {
  const run = store.entries.get(id)?.run;
  return run?.state === 'started' && run.epoch === epoch && run.isCancelRequested === true;
}
