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
  const request = readBody<ResumeRequest>(body, { subject: 'resume', keys: RESUME_KEYS });
  const act = { kind: 'resume', target: request.lane ?? 'all', ...noteOf(visitor, request) } as const;
  return desk.acts.perform(act, async () => ({ answer: await desk.queue.resume(targetOf(request)) }));
}

function readHold(fields: Fields): HoldRequest {
  demandReason(fields);
  return valuesOf<HoldRequest>(fields, HOLD_KEYS);
}

function targetOf({ lane, all }: HoldRequest | ResumeRequest): HoldTarget {
  const target = { ...(lane !== undefined && { lane }), ...(all !== undefined && { all }) };
  return target as HoldTarget; // checked by the queue
}
