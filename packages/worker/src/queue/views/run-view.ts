import type { PolicyInput } from '@retry/core';
import type { AttemptError, Run } from '@retry/core/broker';
import { chargedAttempts } from '@retry/core/broker/kit';
import type { RunRecord } from '@retry/core/lifecycle';
import { isEnd } from '@retry/core/lifecycle';
import { errorText } from '../../error-text.ts';
import { taskOfLane } from '../../task/lane.ts';
import { readStored } from '../../task/payload.ts';
import type { Instants, Times, WriteInstant } from './times.ts';

/** An instant of a run. */
type InstantKey = Extract<keyof RunRecord, `${string}At`>;

const INSTANTS = Object.keys({
  createdAt: true,
  submittedAt: true,
  firstStartedAt: true,
  startedAt: true,
  heartbeatAt: true,
  runAt: true,
  endedAt: true,
  resetAt: true,
} satisfies Record<InstantKey, true>) as readonly InstantKey[]; // its own keys

/** What a view has as the broker stores it: all of a run that has no form of its own below, but for what only brokers and workers read. */
type KeptKey = Exclude<
  keyof Run,
  | ('id' | 'lane' | 'state' | 'errors' | InstantKey | JsonKey)
  | ('resetEpoch' | 'previousDelayMs' | 'deadContext' | 'settledBy')
>;

const KEPT = Object.keys({
  epoch: true,
  failures: true,
  stalls: true,
  releases: true,
  rateLimits: true,
  redrives: true,
  carried: true,
  origin: true,
  context: true,
  concurrency: true,
  fairnessKey: true,
  errorGroup: true,
  isDisposable: true,
  isCancelRequested: true,
  trimmed: true,
} satisfies Record<KeptKey, true>) as readonly KeptKey[]; // its own keys

/** The texts of a run that are JSON. */
type JsonKey = 'payload' | 'result' | 'retry';

/** The stored error of one failed attempt, with its instants as they are asked for. */
export interface AttemptErrorView<At extends Times = 'ms'> extends Omit<AttemptError, 'at' | 'startedAt'> {
  /** When it failed. */
  readonly at: Instants[At];
  /** When it started; absent if no attempt ended with this error. */
  readonly startedAt?: Instants[At];
}

/**
 * A run as people read it: its task by name and version, payload, result and policy parsed, instants as they are asked for. Counters
 * and the instants have the names of the lifecycle. A view with instants in milliseconds can be given to `replay`.
 */
export interface RunView<Payload = unknown, Result = unknown, At extends Times = 'ms'>
  extends Pick<Run, 'id' | 'lane' | 'state' | KeptKey>,
    Readonly<Partial<Record<InstantKey, Instants[At]>>> {
  /** The name of its task. */
  readonly task: string;
  /** The version of its task; `''` where its lane is not `name@version`. */
  readonly version: string;
  /**
   * Which attempt it is at, counted from 1: of a run that waits, the next one; of one that has ended, its last one, 0 if it never had
   * one. Releases and limits are no attempts.
   */
  readonly attempt: number;
  /** What it was submitted with; absent if unreadable, not asked for, or deleted by retention (`trimmed`). */
  readonly payload?: Payload;
  /** What its handler returned; absent unless it has completed, or if retention has deleted it (`trimmed`). */
  readonly result?: Result;
  /** The policy that it was submitted with; absent: that of its task. */
  readonly retry?: PolicyInput;
  /** What is wrong with stored text that cannot be read: no JSON, or a key that would pollute prototypes. Absent if nothing is. */
  readonly unreadable?: { readonly [Key in JsonKey]?: string };
  /** The stored errors, one per failed attempt since the last reset, oldest first; the latest twenty. */
  readonly errors: readonly AttemptErrorView<At>[];
}

/** How to write a view. */
interface ViewStyle<At extends Times> {
  readonly writeInstant: WriteInstant<At>;
  /** `omit`: the broker was asked for neither payload nor result. */
  readonly payloads: 'include' | 'omit';
}

/** Returns the view of a stored run. Never throws, whatever is stored. */
export function viewRun<At extends Times>(
  run: Run,
  { writeInstant, payloads }: ViewStyle<At>,
): RunView<never, never, At> {
  const { id, lane, state } = run;
  const { name: task, version } = taskOfLane(lane);
  return {
    ...{ id, task, version, lane, state, attempt: attemptInView(run) },
    ...parsed(run, payloads === 'omit' ? ['retry'] : ['payload', 'result', 'retry']),
    errors: viewErrors(run.errors, writeInstant),
    ...present(run, KEPT, (value) => value),
    ...present(run, INSTANTS, writeInstant),
  } as RunView<never, never, At>; // which types payload and result have is the caller's claim
}

/** Returns the values of these keys, without those that are absent. */
function present<Key extends keyof Run, Value>(
  run: Run,
  keys: readonly Key[],
  write: (value: NonNullable<Run[Key]>) => Value,
): { readonly [Each in Key]?: Value } {
  const found: { [Each in Key]?: Value } = {};
  for (const key of keys) {
    const value = run[key];
    if (value !== undefined && value !== null) found[key] = write(value);
  }
  return found;
}

/** Returns errors with their instants as they are asked for. */
export function viewErrors<At extends Times>(
  errors: readonly AttemptError[],
  writeInstant: WriteInstant<At>,
): readonly AttemptErrorView<At>[] {
  return errors.map(({ at, startedAt, ...facts }) => ({
    ...facts,
    at: writeInstant(at),
    ...(startedAt !== undefined && { startedAt: writeInstant(startedAt) }),
  }));
}

/** Returns which attempt a run is at, as views have it. */
export function attemptInView(run: Run): number {
  const charged = chargedAttempts(run);
  const isUncharged = ['completed', 'cancelled'].includes(run.state) && hasEndedInAttempt(run);
  return isEnd(run.state) && !isUncharged ? charged : charged + 1;
}

/** Whether the run ended in an attempt that is not charged, rather than by an operator: every claim that ended otherwise is counted. */
export function hasEndedInAttempt({ epoch, resetEpoch, failures, stalls, releases }: Run): boolean {
  return epoch - resetEpoch > failures + stalls + releases;
}

function parsed(run: Run, keys: readonly JsonKey[]): object {
  const values: Partial<Record<JsonKey | 'unreadable', unknown>> = {};
  const problems: { [Key in JsonKey]?: string } = {};
  for (const key of keys) {
    const text = run[key];
    if (text === undefined || run.trimmed?.some((one) => one === key)) continue;
    try {
      values[key] = readStored(text, NOUNS[key]);
    } catch (error) {
      problems[key] = errorText(error).message;
    }
  }
  return Object.keys(problems).length === 0 ? values : { ...values, unreadable: problems };
}

const NOUNS = {
  payload: 'the payload',
  result: 'the result',
  retry: 'the policy',
} as const satisfies Record<JsonKey, string>;
