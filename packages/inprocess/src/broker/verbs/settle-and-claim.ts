import type { Run, SettleAnswer, Settlement } from '@retry/core/broker';
import { answerSettlement, copyRun, keepableMs, settledBy, unsettledError } from '@retry/core/broker';
import { isEnd } from '@retry/core/lifecycle';
import { freeKey } from '../record/concurrency-keys.ts';
import { endRun } from '../record/ended-runs.ts';
import type { Entry } from '../record/entry.ts';
import { move } from '../record/entry.ts';
import { remove } from '../record/heap.ts';
import { enqueueBack, enqueueFront, schedule } from '../record/lanes.ts';
import type { Store } from '../record/store.ts';

/** Writes the outcomes of claims as they were decided, each by the holder of its epoch only. */
export function settleRuns(
  store: Store,
  settlements: readonly Settlement[],
  now: number,
): readonly SettleAnswer[] {
  for (const { id, next } of settlements) refuseUnsettled(id, next);
  const released: Entry[] = [];
  const answers = settlements.map((settlement) => {
    const entry = store.entries.get(settlement.id);
    const isExpired = entry !== undefined && entry.place === 'leased' && entry.rank <= now;
    const answer = answerSettlement(entry?.run, settlement, { isExpired });
    if (answer !== 'ok' || entry === undefined) return answer;
    write(store, entry, { settlement, now });
    if (entry.run.state === 'submitted' && settlement.event === 'release') released.push(entry);
    else place(store, entry);
    return answer;
  });
  // Backwards, so that runs released together keep their order.
  for (const entry of released.reverse()) enqueueFront(store, entry);
  return answers;
}

function refuseUnsettled(id: string, { state }: Run): void {
  if (state === 'started' || state === 'unsubmitted') throw unsettledError(id, state);
}

function write(store: Store, entry: Entry, written: { settlement: Settlement; now: number }): void {
  const { epoch, event, next, delayMs } = written.settlement;
  const wantsCancel = entry.run.isCancelRequested === true;
  remove(store.leases, entry);
  entry.place = 'none';
  freeKey(store, entry);
  const run = copyRun(next);
  const { lane, payload, concurrency } = entry.run;
  Object.assign(run, { lane, payload, concurrency }); // they never change, and a cleaner may not have them
  if (run.state === 'scheduled') run.runAt = dueAt(run.runAt, delayMs, written.now);
  run.settledBy = settledBy(epoch, event);
  run.isCancelRequested = undefined; // the wish to cancel is about one claim and ends with it
  entry.run = run;
  // Its worker had not heard: what was asked for comes before another attempt.
  if (wantsCancel && !isEnd(next.state)) entry.run = move(entry.run, { type: 'cancel', at: written.now });
}

function dueAt(runAt: number | undefined, delayMs: number | undefined, now: number): number {
  return keepableMs(delayMs === undefined ? (runAt ?? now) : now + Math.max(0, delayMs));
}

function place(store: Store, entry: Entry): void {
  if (entry.run.state === 'submitted') enqueueBack(store, entry);
  else if (entry.run.state === 'scheduled') schedule(store, entry);
  else endRun(store, entry);
}
