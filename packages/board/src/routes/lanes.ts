import { textProblem } from '@retry/core/broker/kit';
import type { Fields } from '@retry/core/fields';
import type { HoldOptions, HoldTarget } from '@retry/worker';
import type { HoldAnswer, HoldRequest, ResumeRequest } from '../api.ts';
import { demandReason, readBody, valuesOf } from './body.ts';
import type { Call } from './call.ts';
import { noteOf } from './run/run-acts.ts';

const HOLD_KEYS: readonly (keyof HoldRequest)[] = ['lane', 'all', 'for', 'reason'];
const RESUME_KEYS: readonly (keyof ResumeRequest)[] = ['lane', 'all', 'reason'];

/** `POST lanes/hold`. */
export async function hold({ desk, visitor, body }: Call): Promise<HoldAnswer> {
  const request = readBody<HoldRequest>(body, { subject: 'hold', keys: HOLD_KEYS }, readHold);
  const note = noteOf(visitor, request);
  const options = { ...note, ...(request.for !== undefined && { for: request.for }) } as HoldOptions; // checked by the queue
  return desk.acts.perform({ kind: 'hold', target: request.lane ?? 'all', ...note }, async () => {
    await desk.queue.hold(targetOf(request), options);
    return { answer: 'held' };
  });
}

/** `POST lanes/resume`. */
export async function resume({ desk, visitor, body }: Call): Promise<HoldAnswer> {
  const request = readBody<ResumeRequest>(body, { subject: 'resume', keys: RESUME_KEYS }, readResume);
  const act = { kind: 'resume', target: request.lane ?? 'all', ...noteOf(visitor, request) } as const;
  return desk.acts.perform(act, async () => ({ answer: await desk.queue.resume(targetOf(request)) }));
}

function readHold(fields: Fields): HoldRequest {
  demandReason(fields);
  fields.optional('lane', A_LANE);
  return valuesOf<HoldRequest>(fields, HOLD_KEYS);
}

function readResume(fields: Fields): ResumeRequest {
  fields.optional('lane', A_LANE);
  return valuesOf<ResumeRequest>(fields, RESUME_KEYS);
}

function targetOf({ lane, all }: HoldRequest | ResumeRequest): HoldTarget {
  const target = { ...(lane !== undefined && { lane }), ...(all !== undefined && { all }) };
  return target as HoldTarget; // checked by the queue
}

/** What may be the target of an act, which everybody sees. Whether a task can have such a lane is for the queue to say. */
const A_LANE = {
  accepts: (value: unknown): value is string => textProblem(value) === undefined,
  message: 'must be the lane of a task: name@version',
  cure: "Use lane: 'send-email@1', or all: true.",
};
