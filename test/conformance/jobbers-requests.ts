import { randomUUID } from 'node:crypto';
import type { Run } from '@retry/core/broker';
import type { RunEvent, RunState } from '@retry/core/lifecycle';
import { NEW_RUN, RUN_STATES, transition } from '@retry/core/lifecycle';
import type { AnyTask } from '@retry/worker';
import { expect } from 'vitest';
import { hearWarnings } from '../support/hear-warnings.ts';
import { boolean, expected, number, oneOf } from './case-schema.ts';
import type { JobbersCase } from './jobbers-options.ts';
import { hang, type JobbersRecord, type JobbersScene, jobbersTask, type OnScene } from './jobbers-scene.ts';
import { pick, type Runner } from './runner.ts';

interface CancelCase extends JobbersCase {
  readonly status_before: string;
  readonly status_after?: string;
  readonly outcome: string;
}

/** Jobbers' answer to a request, by the answer of our broker. */
const OUTCOMES = {
  cancelled: 'accepted',
  requested: 'accepted',
  ended: 'rejected',
  gone: 'not_found',
} as const;

/** A request to cancel a run in each state, 7 s after it entered the state. */
export const cancelRequest = (onScene: OnScene): Runner => ({
  schema: {
    status_before: oneOf('(unknown id)', ...RUN_STATES),
    outcome: oneOf('accepted', 'rejected', 'not_found'),
    ...expected({
      status_after: oneOf(...RUN_STATES),
      in_queue: boolean,
      in_scheduler: boolean,
      completed_at_set: boolean,
    }),
  },
  answer: ({ status_before, status_after, ...given }: CancelCase) => {
    if (status_before === 'unsubmitted') return cancelUnsubmitted();
    return onScene(async (scene) => {
      const task = jobbersTask(given, { run: hang });
      const id = status_before === '(unknown id)' ? randomUUID() : await bringTo(scene, task, status_before);
      await scene.clock.advance('7s');
      const [before] = await scene.broker.get([id]);
      const outcome = OUTCOMES[await scene.queue.cancel(id)];
      if (before?.state !== 'started') return { outcome, ...(await changeOf(scene, id, before)) };
      // Its worker ends it when the request has arrived: the case checks before or after that.
      const soon = await changeOf(scene, id, before);
      await scene.clock.advance('30s');
      const later = await changeOf(scene, id, before);
      return {
        outcome,
        ...(status_after === 'started' && later.status_after === 'cancelled' ? soon : later),
      };
    });
  },
  expected: (given: CancelCase) =>
    pick(given, ['outcome', 'status_after', 'in_queue', 'in_scheduler', 'completed_at_set']),
});

/** No broker stores a run that was not submitted; the lifecycle answers instead. */
function cancelUnsubmitted(): object {
  const moved = transition<Run, RunEvent>(NEW_RUN as Run, { type: 'cancel', at: 0 });
  const outcome = moved.type === 'moved' ? 'accepted' : 'rejected';
  const places = { in_queue: false, in_scheduler: false, completed_at_set: false };
  return { outcome, status_after: moved.type === 'moved' ? moved.run.state : moved.from, ...places };
}

async function changeOf(
  { look, broker }: JobbersScene,
  id: string,
  before: Run | undefined,
): Promise<{ readonly status_after?: string } & Partial<Pick<JobbersRecord, 'in_queue' | 'in_scheduler'>>> {
  const [after] = await broker.get([id]);
  if (after === undefined) return {};
  const { status, in_queue, in_scheduler } = await look(after.id);
  const change = { completed_at_set: after.endedAt !== before?.endedAt };
  return { status_after: status, in_queue, in_scheduler, ...change };
}

/** The event that ends a claim in this way. */
const ENDS: Readonly<Record<string, RunEvent['type']>> = {
  completed: 'complete',
  failed: 'fail',
  cancelled: 'cancel',
  stalled: 'stall',
  dropped: 'drop',
  rate_limited: 'limit',
};

/** Submits a run and moves it to a state; a started one is claimed by a worker. */
async function bringTo(scene: JobbersScene, task: AnyTask, state: string): Promise<string> {
  const { id } = await scene.queue.submit(task, null, state === 'scheduled' ? { delay: '1h' } : {});
  if (state === 'started') await scene.startWorker([task]);
  const type = ENDS[state];
  if (type === undefined) return id;
  const [claimed] = await claim(scene, task);
  if (claimed === undefined) throw new Error('Nothing to claim.');
  // Each of these events needs only the instant, and ends the claim.
  const moved = transition<Run, RunEvent>(claimed, { type, at: scene.brokerNow() } as RunEvent);
  if (moved.type === 'rejected') throw new Error(`A started run takes no ${type}.`);
  await scene.broker.exchange({ settle: [{ id, epoch: claimed.epoch, event: type, next: moved.run }] });
  return id;
}

/** Claims the run for a worker that sends no heartbeats. */
async function claim(
  { broker }: JobbersScene,
  { lane }: AnyTask,
  leaseMs = 60_000,
): Promise<readonly Run<'started'>[]> {
  const lanes = new Map([[lane, 100]]);
  const claim = { worker: 'gone', requestId: randomUUID(), limit: 100, lanes, leaseMs };
  const { claimed } = await broker.exchange({ claim });
  return claimed.map(({ run }) => run);
}

export interface StallCase {
  readonly version?: JobbersCase['version'];
  readonly config: { readonly max_heartbeat_interval: number | null; readonly stale_time: number };
  readonly heartbeat_age: number;
  readonly status_before: RunState;
  readonly registered: boolean;
  readonly status_after: RunState;
  readonly completed_at_set: boolean;
}

/**
 * A run without heartbeats for some time. If its task is known, its handler hangs in a living worker; otherwise its
 * worker is lost, and another worker's cleaner finds it. `stale_time` is the lease.
 */
export const stallCheck = (onScene: OnScene): Runner => ({
  schema: {
    heartbeat_age: number,
    status_before: oneOf('submitted', 'started'),
    registered: boolean,
    ...expected({
      status_after: oneOf(...RUN_STATES),
      completed_at_set: boolean,
      heartbeat_tracked: boolean,
    }),
  },
  answer: ({ config: { max_heartbeat_interval, stale_time }, version, ...given }: StallCase) =>
    onScene(async (scene) => {
      const options = { config: { max_heartbeat_interval }, ...(version !== undefined && { version }) };
      const warnings = hearWarnings();
      const task = jobbersTask(options, { run: hang });
      const other = jobbersTask(options, { name: 'other', run: hang });
      const { id } = await scene.queue.submit(task, null);
      const isStarted = given.status_before === 'started';
      if (isStarted && !given.registered) await claim(scene, task, stale_time * 1_000);
      const knows = isStarted && given.registered;
      await scene.startWorker([knows ? task : other], { lease: stale_time * 1_000 });
      await scene.clock.advance(given.heartbeat_age * 1_000);
      const { status, timestamps } = await scene.look(id);
      const { completed_at } = timestamps;
      const isUnattended = (warning: string): boolean => /^RETRY_UNATTENDED_LANE: .* task@1$/.test(warning);
      expect(knows ? warnings : warnings.filter((warning) => !isUnattended(warning))).toEqual([]);
      return { status_after: status, completed_at_set: completed_at !== undefined, completed_at };
    }),
  // Jobbers keeps tracking the heartbeat in a separate index.
  expected: (given: StallCase) => pick(given, ['status_after', 'completed_at_set']),
});
