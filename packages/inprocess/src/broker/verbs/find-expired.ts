import type { ExpiredScope, Run } from '@retry/core/broker';
import { sizedPage, withoutTexts } from '@retry/core/broker/kit';
import { peekUpTo } from '../record/heap.ts';
import type { Entry, Store } from '../record/store.ts';

/** Returns the started runs of these lanes whose lease has expired, longest ago first. */
export function findExpiredRuns(
  store: Store,
  { limit, lanes, exceptLanes }: ExpiredScope & { readonly limit: number },
  now: number,
): readonly Run[] {
  const only = lanes && new Set(lanes);
  const except = new Set(exceptLanes);
  const matches = ({ run: { lane } }: Entry): boolean => (only?.has(lane) ?? true) && !except.has(lane);
  // The limit counts runs of these lanes only: expired runs that no worker can settle do not block the others.
  const expired = peekUpTo(store.leases, { rank: now, limit }, matches);
  return sizedPage(expired.map(({ run }) => withoutTexts(run)));
}
