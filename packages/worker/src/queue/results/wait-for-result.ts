import type { Clock } from '@retry/core';
import type { Broker, Submission } from '@retry/core/broker';
import { readOptions } from '@retry/core/fields';
import type { Emitter } from '../../emitter.ts';
import type { QueueEvents } from '../../events.ts';
import type { Submitted } from '../submission.ts';
import { ResultPoller } from './result-poller.ts';
import type { WaitShared } from './result-wait.ts';
import { waitForRun } from './result-wait.ts';
import { Timeouts } from './timeouts.ts';
import type { WaitForResult, WaitLimits } from './wait-options.ts';
import { readRunId, readWaitLimits, WAIT_KEYS } from './wait-options.ts';

/** Waits for the results of one queue's runs. */
export interface ResultWaiting {
  readonly waitForResult: WaitForResult;
  /** Submits a run with `keepResult` and waits for its result. */
  readonly waitForSubmission: <Result>(
    submit: () => Promise<Submitted<Result>>,
    limits: WaitLimits,
  ) => Promise<Result>;
  /** Remembers what a later wait needs to know of a submission. */
  readonly noteSubmitted: (submission: Submission, answer: { readonly isNew: boolean }) => void;
}

interface Shared extends WaitShared {
  /** Runs with `keepResult` whose result this queue has not read. */
  readonly kept: Set<string>;
}

/** How many runs are remembered: the latest ones. */
const MAX_REMEMBERED = 100_000;

/** Creates the waiting of a queue; it does not call the broker while no caller waits. */
export function createResultWaiting(
  broker: Broker,
  clock: Clock,
  emitter: Emitter<QueueEvents>,
): ResultWaiting {
  const kept = new Set<string>();
  const onCollected = (id: string): void => void kept.delete(id);
  const onError = (error: unknown, doing: string): void => emitter.emit('error', () => ({ error, doing }));
  const poller = new ResultPoller({ broker, clock, onError, onCollected });
  const shared: Shared = { poller, timeouts: new Timeouts(clock), kept };
  return {
    noteSubmitted: ({ id, keepResultMs }, { isNew }) => {
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
  const awaited = Promise.resolve({ id, isKept: shared.kept.has(id) });
  return waitForRun<Result>(shared, awaited, limits);
}

async function waitForSubmission<Result>(
  shared: Shared,
  submit: () => Promise<Submitted<Result>>,
  limits: WaitLimits,
): Promise<Result> {
  throwIfAborted(limits);
  const { notifications } = shared.poller;
  const countBefore = notifications.count();
  const onEnd = notifications.listen();
  const awaited = submit().then(({ id, isNew }) => {
    return { id, isKept: shared.kept.has(id), ...(isNew && { notifiedSince: countBefore }) };
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
