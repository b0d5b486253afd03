import type { Audit } from '@retry/core/broker';
import type { Desk } from './call.ts';

/** How long an audit is shown before the next one begins, in ms; for longer where it takes long. */
const SHOWN_MS = 10_000;

/** An audit costs more the more runs are kept: it is shown for this many times as long as it took. */
const SHOWN_TIMES = 20;

/** The audits of one board. */
interface Counted {
  latest: Audit | undefined;
  underWay: Promise<Audit> | undefined;
  /** When the next one is due. */
  nextAt: number;
}

const boards = new WeakMap<Desk, Counted>();

/** Returns the latest audit. Only the first one is waited for, and the one after a failure: while others are under way, the one before is shown. */
export async function auditOf(desk: Desk): Promise<Audit> {
  const counted = boards.get(desk) ?? { latest: undefined, underWay: undefined, nextAt: 0 };
  boards.set(desk, counted);
  const { latest, nextAt } = counted;
  if (latest !== undefined && performance.now() < nextAt) return latest;
  counted.underWay ??= count(desk, counted);
  return latest ?? counted.underWay;
}

function count({ queue }: Desk, counted: Counted): Promise<Audit> {
  const beganAt = performance.now();
  const audit = queue.counts();
  const end = (latest?: Audit): void => {
    const now = performance.now();
    counted.latest = latest;
    counted.underWay = undefined;
    // Whole, because twenty times what a difference is rounded by would show.
    counted.nextAt = now + Math.max(SHOWN_MS, SHOWN_TIMES * Math.round(now - beganAt));
  };
  audit.then(end, () => end());
  return audit;
}
