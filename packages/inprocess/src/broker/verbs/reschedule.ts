import type { RescheduleAnswer, RescheduleRequest } from '@retry/core/broker';
import { keepableMs } from '@retry/core/broker/kit';
import { move } from '../record/entry.ts';
import { enqueueBack, schedule } from '../record/lanes.ts';
import type { Store } from '../record/store.ts';
import { removeWaiting } from '../record/waiting.ts';

/** Moves a waiting run to another instant. One that is in its lane and due now stays as it is. */
export function rescheduleRun(store: Store, request: RescheduleRequest, now: number): RescheduleAnswer {
  const { id, runAt = now, delayMs = 0 } = request;
  const entry = store.entries.get(id);
  if (entry === undefined) return 'gone';
  const { state } = entry.run;
  if (state !== 'submitted' && state !== 'scheduled') return 'refused';
  const dueAt = keepableMs(Math.max(runAt, now + delayMs));
  if (state === 'submitted' && dueAt <= now) return 'rescheduled';
  removeWaiting(store, entry);
  entry.run = move(entry.run, { type: 'reschedule', at: now, runAt: dueAt });
  if (entry.run.state === 'scheduled') schedule(store, entry);
  else enqueueBack(store, entry);
  return 'rescheduled';
}
