import type { Reservation, Reserved, StartCorrection } from '@retry/core/broker';
import { answerStarts, forgetStartsAt } from '@retry/core/broker/kit';
import type { Store } from '../record/store.ts';

/** How many other limits each change looks at, to forget those that are not used. */
const SWEPT = 2;

/** Counts starts against a limit, or corrects them. */
export function reserve(
  { startCounts }: Store,
  request: Reservation | StartCorrection,
  now: number,
): Reserved {
  const { key } = request;
  const before = startCounts.get(key);
  const { counts, reserved } = answerStarts(before, request, now);
  if (counts === undefined || counts === before) return reserved;
  // Each limit that is looked at, or changed, goes to the end, so all of them have their turn.
  startCounts.delete(key);
  sweep(startCounts, now);
  startCounts.set(key, counts);
  return reserved;
}

function sweep(startCounts: Store['startCounts'], now: number): void {
  let left = SWEPT;
  for (const [key, counts] of startCounts) {
    if (left === 0) return;
    left -= 1;
    startCounts.delete(key);
    if (forgetStartsAt(counts) > now) startCounts.set(key, counts);
  }
}
