import { createHash } from 'node:crypto';
import { MAX_INSTANT_AT } from '@retry/core';
import type { AttemptError, ErrorGroupName, Run, Settlement, Submission } from '@retry/core/broker';
import { groupOf, partitionTag } from '@retry/core/broker/kit';
import { fingerprint } from '@retry/core/failures';
import { isDeadLetter } from '@retry/core/lifecycle';
import { shorten } from '../error-text.ts';
import { submissionOf } from '../queue/submission.ts';
import type { DeadLetter } from '../task/dead-letter.ts';
import { fairnessKeyOf } from '../task/fairness-key.ts';
import { readPayload } from '../task/payload.ts';
import type { AnyTask } from '../task/task.ts';
import { settle } from './settlement.ts';
import type { AttemptFacts } from './stored-error.ts';
import { failedRun, wellFormed } from './stored-error.ts';

/** 128 bits of a hash, in base64: no two runs share them. */
const HASH_LENGTH = 22;

/** A run that ends as a dead letter. */
interface Dying {
  readonly task: AnyTask;
  readonly run: Run;
}

/** Returns the settlement with the run that a dead letter of this task submits, if it makes one. Pure. */
export function withDeadLetter(
  task: AnyTask,
  settlement: Settlement,
  payloadIs: 'given' | 'refused' = 'given',
): Settlement {
  const { deadLetter } = task;
  const { next: run } = settlement;
  if (typeof deadLetter === 'string' || !isDeadLetter(run.state)) return settlement;
  const { task: other } = deadLetter;
  const payload = writeDeadLetter({ task, run }, { payloadIs, maxBytes: other.maxPayloadBytes });
  const submit: Submission = {
    ...submissionOf(
      other,
      { payload, fairnessKey: keyOf(other, payload) },
      { id: deadLetterId(run), context: run.context },
    ),
    origin: run.id,
  };
  return { ...settlement, submit };
}

/** The run dies whatever the `fairness` of the other task does: where that throws, its dead letter has no key. */
function keyOf(task: AnyTask, payload: string): string | undefined {
  try {
    return fairnessKeyOf(task, payload);
  } catch {
    return undefined;
  }
}

/**
 * Returns the id of the run that this death submits: the same for every worker that settles it, another one each time that the run
 * dies. Brokers keep it beside the dead run. By `createdAt`, runs that had the same id one after the other have different ones.
 */
function deadLetterId({ id, epoch, createdAt = 0 }: Run): string {
  const hash = createHash('sha256').update(`${epoch} ${createdAt} ${id}`).digest('base64url');
  return `{${partitionTag(id)}}dead-${hash.slice(0, HASH_LENGTH)}`;
}

interface Bounds {
  readonly payloadIs: 'given' | 'refused';
  readonly maxBytes: number;
}

/** Returns the payload as JSON text: the first form that fits, else the smallest one. */
function writeDeadLetter({ task, run }: Dying, { payloadIs, maxBytes }: Bounds): string {
  const omitted = payloadIs === 'refused' ? 'refused' : payloadProblem(run);
  let text = '';
  const omissions = omitted === undefined ? ([undefined, 'too-large'] as const) : ([omitted] as const);
  for (const payloadOmitted of omissions) {
    for (const errors of shorterErrors(run.errors)) {
      text = toText({ task, run }, errors, payloadOmitted);
      if (Buffer.byteLength(text) <= maxBytes) return text;
    }
  }
  return text;
}

/** Returns why a dead letter has no payload: its handler would receive none of one that cannot be read. */
function payloadProblem({ payload }: Run): 'unreadable' | undefined {
  try {
    readPayload(payload);
    return undefined;
  } catch {
    return 'unreadable';
  }
}

/** Errors in ever shorter forms; the last has none. */
function* shorterErrors(errors: readonly AttemptError[]): Generator<readonly AttemptError[]> {
  yield errors;
  const bare = errors.map(({ stack: _, ...error }) => error);
  const latest = bare.slice(-1);
  yield bare;
  yield latest;
  yield latest.map((error) => ({ ...error, name: shorten(error.name), message: shorten(error.message) }));
  yield [];
}

/** The payload is JSON text already, and goes last as it is. */
function toText(
  { task, run }: Dying,
  errors: readonly AttemptError[],
  payloadOmitted: DeadLetter['payloadOmitted'],
): string {
  const { id, state, epoch, failures, stalls, releases, rateLimits, redrives, carried, createdAt, endedAt } =
    run;
  const errorsOmitted = run.errors.length - errors.length;
  const text = JSON.stringify({
    ...{ id, task: task.name, version: task.version, state, errors },
    ...(errorsOmitted > 0 && { errorsOmitted }),
    ...{
      epoch,
      failures,
      stalls,
      releases,
      rateLimits,
      redrives,
      carried,
      createdAt,
      endedAt,
      payloadOmitted,
    },
  });
  return payloadOmitted === undefined ? `${text.slice(0, -1)},"payload":${run.payload}}` : text;
}

/** Counts the dead letters that ended at a limit: their errors, if they have any, are not why. */
export const RATE_LIMITED: ErrorGroupName = { id: 'rate-limited', title: 'Rate limited' };

/** Returns the settlement with what its run is counted under, if it makes a dead letter of it. Pure. */
export function withGroup(settlement: Settlement): Settlement {
  const group = groupOf(settlement.next) && groupOfRun(settlement.next);
  return group === undefined ? settlement : { ...settlement, group };
}

/** Returns what a dead letter with this stored error is counted under: nothing that `redact` hides plays a part. */
export function groupOfError(error: Omit<AttemptError, 'epoch' | 'at'>): ErrorGroupName {
  return fingerprint(error);
}

function groupOfRun({ state, errors }: Run): ErrorGroupName | undefined {
  if (state === 'rateLimited') return RATE_LIMITED;
  const latest = errors.at(-1);
  return latest && groupOfError(latest);
}

/** How much of an error's text is kept when even the usual record was refused, in UTF-16 units. */
const MAX_PLAIN_LENGTH = 500;

/** An attempt whose settlement the broker refuses for good. */
interface RefusedAttempt extends AttemptFacts {
  readonly task: AnyTask;
  readonly run: Run<'started'>;
  /** Why the broker refuses it. */
  readonly error: unknown;
  readonly onlyIfExpired: boolean;
}

/**
 * Returns the settlements to try when a broker refuses a run's own: a dead letter with the broker's error and without a
 * result. First with all errors, in text that every broker can store; then with the minimum that a run can have; where the task submits
 * its dead letters to another one, at last without that.
 */
export function refusedEnds({
  task,
  run,
  error,
  onlyIfExpired,
  ...facts
}: RefusedAttempt): readonly [usual: Settlement, ...minimal: Settlement[]] {
  const at = Math.min(Math.max(Math.floor(facts.now) || 0, 0), MAX_INSTANT_AT);
  const failed = failedRun(run, { error, isFollowed: false, reason: 'ended' }, { ...facts, now: at });
  const { previousDelayMs: _, result: __, ...kept } = failed;
  const end = (errors: readonly AttemptError[]): Settlement => ({
    ...withGroup(settle({ ...kept, errors }, [{ type: 'fail', at }])),
    ...(onlyIfExpired && { onlyIfExpired }),
  });
  const usual = end(failed.errors.map(wellFormed));
  const minimal = end(failed.errors.slice(-1).map(plain));
  if (typeof task.deadLetter === 'string') return [usual, minimal];
  return [withDeadLetter(task, usual), withDeadLetter(task, minimal, 'refused'), minimal];
}

function plain({ epoch, at, name, message }: AttemptError): AttemptError {
  return { epoch, at, name: ascii(name), message: ascii(message) };
}

function ascii(text: string): string {
  return text.replaceAll(/[^ -~]/g, '?').slice(0, MAX_PLAIN_LENGTH);
}
