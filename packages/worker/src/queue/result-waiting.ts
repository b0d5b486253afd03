import type { Clock } from '@retry/core';
import type { Broker, Submission } from '@retry/core/broker';
import { readOptions } from '@retry/core/fields';
import type { Emitter } from '../emitter.ts';
import { isRunId } from './create-run-id.ts';
import { Deadlines } from './deadlines.ts';
import type { QueueEvents } from './queue-events.ts';
import { ResultLooker } from './result-looker.ts';
import type { Submitted } from './submit-options.ts';
import type { WaitForResult, WaitLimits, WaitShared } from './wait-for-result.ts';
import { readRunId, readWaitLimits, WAIT_KEYS, waitForRun } from './wait-for-result.ts';

/** The waiting for results of one queue, and what it knows of its runs. */
export interface ResultWaiting {
  readonly waitForResult: WaitForResult;
  /** Submits a run that is kept for its result, and waits for that. */
  readonly waitForSubmission: <Result>(
    submit: () => Promise<Submitted<Result>>,
    limits: WaitLimits,
  ) => Promise<Result>;
  /** Remembers of a submission what waiting for its result needs. */
  readonly noteSubmitted: (submission: Submission, answer: { readonly isNew: boolean }) => void;
}

/** What the waits of one queue share. */
interface Shared extends WaitShared {
  /** Runs with `keepResult` whose result has not been read here. */
  readonly kept: Set<string>;
  /** Runs with a key; other ids are recognised by their form. */
  readonly keyed: Set<string>;
}

/** Runs that are remembered, the latest. */
const MAX_REMEMBERED = 100_000;

/** The waiting of a queue; it asks nothing of the broker while no caller waits. */
export function createResultWaiting(
  broker: Broker,
  clock: Clock,
  emitter: Emitter<QueueEvents>,
): ResultWaiting {
  const kept = new Set<string>();
  const onCollected = (id: string): void => void kept.delete(id);
  const onTrouble = (error: unknown, doing: string): void => emitter.emit('error', () => ({ error, doing }));
  const looker = new ResultLooker({ broker, clock, onTrouble, onCollected });
  const shared: Shared = { looker, deadlines: new Deadlines(clock), kept, keyed: new Set() };
  return {
    noteSubmitted: ({ id, keyed, keepResultMs }, { isNew }) => {
      if (keyed === true) remember(shared.keyed, id);
      if (isNew && keepResultMs !== undefined) remember(kept, id);
    },
    waitForResult: (run, options) => waitForResult(shared, run, options),
    waitForSubmission: (submit, limits) => waitForSubmission(shared, submit, limits),
  };
}

async function waitForResult<Result>(
  shared: Shared,
  run: Submitted<Result> | string,
  options: unknown,
): Promise<Result> {
  const id = readRunId(run, 'waitForResult');
  const limits = readOptions(options, { subject: 'waitForResult', keys: WAIT_KEYS }, readWaitLimits);
  throwIfAborted(limits);
  const isKnown = typeof run === 'object' || shared.keyed.has(id) || isRunId(id);
  const awaited = Promise.resolve({ id, isKept: shared.kept.has(id), isKnown });
  return waitForRun<Result>(shared, awaited, limits);
}

async function waitForSubmission<Result>(
  shared: Shared,
  submit: () => Promise<Submitted<Result>>,
  limits: WaitLimits,
): Promise<Result> {
  throwIfAborted(limits);
  const { signal } = shared.looker;
  const heard = { heardSince: signal.count() };
  const onEnd = signal.listen();
  const awaited = submit().then(({ id, isNew }) => {
    return { id, isKept: shared.kept.has(id), isKnown: true, ...(isNew && heard) };
  });
  return waitForRun<Result>(shared, awaited, { ...limits, onEnd });
}

function throwIfAborted({ signal }: WaitLimits): void {
  if (signal?.aborted === true) throw signal.reason;
}

function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  if (ids.size <= MAX_REMEMBERED) return;
  for (const oldest of ids) {
    ids.delete(oldest);
    return;
  }
}
