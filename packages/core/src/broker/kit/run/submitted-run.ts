import type { Run } from '../../run.ts';
import type { Submission } from '../../submission.ts';
import { movedRun, newRun } from '../copy-run.ts';
import { carrySpent } from '../extras.ts';
import { keepableMs } from '../storable/instants.ts';

/** Returns the run of a submission: it waits in its lane, or is scheduled. */
export function submittedRun(submission: Submission, now: number): Run<'submitted' | 'scheduled'> {
  const { runAt = now, delayMs = 0, spent } = submission;
  const run = newRun(submission);
  carrySpent(run, spent);
  return movedRun(run, { type: 'submit', at: now, runAt: keepableMs(Math.max(runAt, now + delayMs)) });
}
