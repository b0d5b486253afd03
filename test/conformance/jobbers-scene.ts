import type { Broker, Run } from '@retry/core/broker';
import { fromJobbers } from '@retry/core/dialects';
import { isEnd } from '@retry/core/lifecycle';
import type { VirtualClock } from '@retry/core/testing';
import type { AnyTask, Queue, TaskContext, TaskInput, Worker, WorkerOptions } from '@retry/worker';
import { createQueue, createWorker, defineTask, taskFrom } from '@retry/worker';
import type { OpenStage, Stage } from '../support/stage.ts';
import { makeErrorClasses } from './error-classes.ts';
import { retriesOf } from './jobbers-moves.ts';
import { type JobbersCase, optionsOf } from './jobbers-options.ts';

/** A queue over a broker, with a virtual clock that starts at 0. */
export interface JobbersScene {
  readonly clock: VirtualClock;
  readonly broker: Broker;
  /** Now by the broker's clock. */
  readonly brokerNow: () => number;
  readonly queue: Queue;
  /** Starts a worker and lets it claim the runs that are ready at this instant. */
  readonly startWorker: (tasks: readonly AnyTask[], options?: Partial<WorkerOptions>) => Promise<Worker>;
  /** Our run in the form of Jobbers' records. */
  readonly look: (id: string) => Promise<JobbersRecord>;
}

/** The state of a run, in Jobbers' words; instants are seconds after its submission. */
export interface JobbersRecord {
  readonly status: string;
  readonly retry_attempt: number;
  readonly timestamps: Readonly<Record<string, number | undefined>>;
  readonly errors: number;
  readonly in_queue: boolean;
  readonly in_scheduler: boolean;
  readonly run_at: number | null;
  readonly in_dlq: boolean;
  readonly heartbeat_tracked: boolean;
  readonly active_index: boolean;
}

/** Runs a function on a new scene and stops its workers afterwards; the audit must be balanced. */
export type OnScene = <Answer>(play: (scene: JobbersScene) => Promise<Answer>) => Promise<Answer>;

/** Scenes over the brokers of a stage. */
export function scenesOn(openStage: OpenStage): OnScene {
  return async (play) => {
    const stage = await openStage();
    return playOn(stage, play).finally(stage.close);
  };
}

async function playOn<Answer>(
  { clock, broker, aheadMs }: Stage,
  play: (scene: JobbersScene) => Promise<Answer>,
): Promise<Answer> {
  const queue = createQueue({ broker, clock });
  const workers: Worker[] = [];
  const startWorker: JobbersScene['startWorker'] = async (tasks, options = {}) => {
    const random = (): number => 0.5;
    const worker = createWorker({ broker, clock, tasks, random, signals: [], concurrency: 100, ...options });
    workers.push(worker);
    worker.start();
    await clock.advance(0);
    return worker;
  };
  const look = (id: string): Promise<JobbersRecord> => lookAt({ broker, queue, aheadMs }, id);
  const answer = await play({
    clock,
    broker,
    brokerNow: () => clock.now() + aheadMs,
    queue,
    startWorker,
    look,
  });
  const stopped = Promise.all(workers.map((worker) => worker.stop()));
  await clock.advance('1m');
  await stopped;
  const { unbalanced } = await broker.audit();
  if (unbalanced !== 0) throw new Error(`The audit is out of balance by ${unbalanced}.`);
  return answer;
}

/** A task under Jobbers' options, which the dialect splits into policy and task options. */
export function jobbersTask(
  given: JobbersCase,
  input: Partial<TaskInput<null, unknown>> & Pick<TaskInput<null, unknown>, 'run'>,
  classOf = makeErrorClasses(),
): AnyTask {
  const { policy, task } = fromJobbers(optionsOf(given, classOf));
  return defineTask({ name: 'task', ...taskFrom({ policy, task }), ...input });
}

/**
 * A handler that hangs until it is stopped: a function of Jobbers is a coroutine, which a timeout, a cancel and a shutdown end by an
 * exception where it awaits. (Jobbers, too, waits for one that catches it.)
 */
export function hang(_payload: unknown, { signal }: Pick<TaskContext, 'signal'>): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

async function lookAt(
  { broker, queue, aheadMs }: Pick<JobbersScene, 'broker' | 'queue'> & Pick<Stage, 'aheadMs'>,
  id: string,
): Promise<JobbersRecord> {
  const [run] = await broker.get([id]);
  if (run === undefined) throw new Error(`No run ${id}.`);
  const { submitted, scheduled, started } = await broker.audit();
  return {
    status: run.state,
    retry_attempt: retriesOf(run),
    timestamps: timestampsOf(run, aheadMs),
    errors: run.errors.length,
    // The scene has only one run, or all runs under test are in this state.
    in_queue: submitted > 0,
    in_scheduler: scheduled > 0,
    run_at: run.state === 'scheduled' ? ((run.runAt ?? Number.NaN) - aheadMs) / 1_000 : null,
    in_dlq: await isDeadLetter(queue, run),
    heartbeat_tracked: started > 0,
    active_index: !isEnd(run.state),
  };
}

async function isDeadLetter(queue: Queue, { id, state }: Run): Promise<boolean> {
  if (state !== 'failed' && state !== 'stalled' && state !== 'rateLimited') return false;
  return (await queue.deadLetters.list({ state })).runs.some((letter) => letter.id === id);
}

/** All keys, so that a timestamp that is set only here is a difference. */
function timestampsOf(run: Partial<Run>, startAt: number): JobbersRecord['timestamps'] {
  const inSeconds = (at: number | undefined): number | undefined =>
    at === undefined ? at : (at - startAt) / 1_000;
  return {
    submitted_at: inSeconds(run.submittedAt),
    started_at: inSeconds(run.firstStartedAt),
    retried_at: inSeconds((run.epoch ?? 0) > 1 ? run.startedAt : undefined),
    completed_at: inSeconds(run.endedAt),
  };
}

/** The record of a case, including timestamps that are not set. */
export function withAllTimestamps<Given extends Partial<JobbersRecord>>(record: Given): Given {
  return { ...record, timestamps: { ...timestampsOf({}, 0), ...record.timestamps } };
}
