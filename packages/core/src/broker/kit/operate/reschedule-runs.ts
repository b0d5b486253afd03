import type { RescheduleAnswer, RescheduleRequest } from '../../acts.ts';
import type { SeenRun } from '../../change.ts';
import type { Locked } from '../../submission.ts';
import { check, findInEach, readCall } from '../check/check-findings.ts';
import type { FieldRules } from '../check/field-rules.ts';
import { findWrongFields, NUMBER_OR_NONE } from '../check/field-rules.ts';
import { transitionRun } from '../copy-run.ts';
import { keepableMs } from '../storable/instants.ts';
import type { ChangeableBroker, Decided } from './change-runs.ts';
import { changeRuns } from './change-runs.ts';

/**
 * Moves waiting runs to another instant: onto the schedule, or to the back of their lane. A run that is in its lane and due now keeps
 * its place there; one that waits for its concurrency key keeps waiting for it. An id that is given twice is moved twice.
 *
 * @throws {InvalidOptionsError} for a wrong id or instant; then nothing is moved
 */
export async function rescheduleRuns(
  broker: ChangeableBroker,
  requests: readonly RescheduleRequest[],
): Promise<readonly (RescheduleAnswer | Locked)[]> {
  readCall(checkReschedules, requests);
  return changeRuns(broker, requests, decideReschedule);
}

function decideReschedule(
  { run, isUnreadable }: SeenRun,
  { runAt, delayMs = 0 }: RescheduleRequest,
  at: number,
): Decided<RescheduleAnswer> {
  if (isUnreadable === true) return { answer: 'refused' };
  const dueAt = keepableMs(Math.max(runAt ?? at, at + delayMs, at));
  if (run.state === 'submitted' && dueAt <= at) return { answer: 'rescheduled' };
  const moved = transitionRun(run, { type: 'reschedule', at, runAt: dueAt });
  return moved.type === 'moved' ? { answer: 'rescheduled', next: moved.run } : { answer: 'refused' };
}

/** Checks the requests of `reschedule`. */
function checkReschedules(requests: readonly RescheduleRequest[]): void {
  check('reschedule', ({ problems, name }) => {
    findInEach(requests, problems, (request, path) => {
      name(() => `${path}.id`, request.id);
      findWrongFields(request, RESCHEDULE, { problems, path });
    });
  });
}

const RESCHEDULE: FieldRules<RescheduleRequest> = { runAt: NUMBER_OR_NONE, delayMs: NUMBER_OR_NONE };
