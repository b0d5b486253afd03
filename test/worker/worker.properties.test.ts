import type { Broker, ExchangeReply, ExchangeRequest } from '@retry/core/broker';
import { isEnd } from '@retry/core/lifecycle';
import type { AnyTask, TaskContext } from '@retry/worker';
import { defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import type { Actor, Scene } from './scene.ts';
import { never, pass, setScene } from './scene.ts';

const LEASE_MS = 9_000;
const CLEANER_MS = 4_000;

/** Each plays minutes of two workers' lives. */
const NUM_RUNS = propertyRuns(1 / 4);
const TIMING = {
  lease: LEASE_MS,
  cleanerInterval: CLEANER_MS,
  concurrency: 3,
  shutdownTimeout: '2s',
} as const;

type Behaviour =
  | 'succeed'
  | 'succeed later'
  | 'listed'
  | 'unlisted'
  | 'ask'
  | 'ask later'
  | 'release'
  | 'release later'
  | 'hold'
  | 'never'
  | 'silent';

const behaviours = fc.constantFrom<Behaviour>(
  'succeed',
  'succeed later',
  'listed',
  'listed',
  'unlisted',
  'ask',
  'ask later',
  'release',
  'release later',
  'hold',
  'never',
  'silent',
);

const tasks = fc.record({
  maxAttempts: fc.integer({ min: 1, max: 5 }),
  maxStalls: fc.integer({ min: 0, max: 3 }),
  onStall: fc.constantFrom('retry', 'retry', 'fail', 'hold'),
  onShutdown: fc.constantFrom('release', 'stall', 'finish'),
  baseMs: fc.constantFrom(0, 1, 700, 3_000),
  maxReleases: fc.constantFrom(0, 2, 5),
  circuitBreaker: fc.constantFrom(undefined, undefined, {
    failureRatio: 0.5,
    minimumThroughput: 2,
    breakDuration: '2s' as const,
  }),
});

const plans = fc.record({
  task: fc.nat({ max: 1 }),
  /** What the handler does in each epoch, over and over. */
  does: fc.array(behaviours, { minLength: 1, maxLength: 5 }),
  delayMs: fc.constantFrom(0, 0, 1_500),
});

const steps = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.integer({ min: 0, max: 6_000 }).map((ms) => ({ type: 'advance', ms }) as const),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom('toggle', 'crash', 'crash late'),
      worker: fc.nat({ max: 1 }),
    } as const),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constantFrom('hold', 'resume'), task: fc.nat({ max: 1 }) } as const),
  },
);

interface Log {
  readonly executed: string[];
  /** `id:epoch` of each settlement that was accepted, once each time. */
  readonly accepted: string[];
  readonly ended: string[];
  readonly early: string[];
  /** From now on every handler succeeds. */
  isMended: boolean;
}

function handler({ clock }: Scene, log: Log, does: ReadonlyMap<string, readonly Behaviour[]>) {
  return (_: null, context: TaskContext): unknown => {
    const { id, epoch, retry, release, heartbeat, signal } = context;
    log.executed.push(`${id}:${epoch}`);
    const plan = does.get(id) ?? [];
    const behaviour = log.isMended ? 'succeed' : plan[(epoch - 1) % plan.length];
    if (behaviour === 'listed') throw new TypeError('listed');
    if (behaviour === 'unlisted') return Promise.reject(new RangeError('unlisted'));
    if (behaviour === 'ask') return retry();
    if (behaviour === 'ask later') return retry({ delay: 2_000 });
    if (behaviour === 'release') return release();
    if (behaviour === 'release later') return release({ delay: 2_000, reason: 'later' });
    if (behaviour === 'hold') return context.hold({ for: 1_500 }).then(() => release());
    if (behaviour === 'silent') return never();
    if (behaviour === 'never') {
      const beat = (): void => {
        heartbeat();
        if (!signal.aborted) clock.setTimer(beat, 1_000);
      };
      beat();
      return never();
    }
    return behaviour === 'succeed' ? 'done' : pass(clock, 1_200);
  };
}

/** Notes what the broker accepts and hands out. */
function watched(broker: Broker, log: Log): Broker {
  const exchange = async (request: ExchangeRequest): Promise<ExchangeReply> => {
    const reply = await broker.exchange(request);
    for (const [index, { id, epoch, next }] of (request.settle ?? []).entries()) {
      if (reply.settled[index] !== 'ok') continue;
      log.accepted.push(`${id}:${epoch}`);
      if (isEnd(next.state)) log.ended.push(id);
    }
    for (const { run } of reply.claimed) if ((run.runAt ?? 0) > reply.now) log.early.push(run.id);
    return reply;
  };
  return { ...broker, exchange };
}

/** The broker of a worker that may lose its power: before an exchange, or when the reply is on its way. */
function powered(broker: Broker): { readonly broker: Broker; readonly cut: (isLate: boolean) => void } {
  let power: 'on' | 'last words' | 'off' = 'on';
  const guard = <Args extends unknown[], Answer>(verb: (...args: Args) => Promise<Answer>) => {
    return async (...args: Args): Promise<Answer> => {
      if (power === 'off') return never();
      const wasOn = power === 'on';
      if (!wasOn) power = 'off';
      const answer = await verb(...args);
      return wasOn ? answer : never();
    };
  };
  return {
    broker: {
      ...broker,
      exchange: guard(broker.exchange),
      heartbeat: guard(broker.heartbeat),
      findExpired: guard(broker.findExpired),
    },
    cut: (isLate) => {
      power = isLate ? 'last words' : 'off';
    },
  };
}

/** Two places, each with a worker or none. */
class Stage {
  readonly #scene: Scene;
  readonly #tasks: readonly AnyTask[];
  readonly #broker: Broker;
  readonly #workers: ({ readonly actor: Actor; readonly cut: (isLate: boolean) => void } | undefined)[] = [];
  readonly actors: Actor[] = [];

  constructor(scene: Scene, tasks: readonly AnyTask[], broker: Broker) {
    this.#scene = scene;
    this.#tasks = tasks;
    this.#broker = broker;
  }

  toggle(place: number): void {
    const worker = this.#workers[place];
    if (worker === undefined) this.start(place);
    else void worker.actor.stop();
    if (worker !== undefined) this.#workers[place] = undefined;
  }

  start(place: number): void {
    const { broker, cut } = powered(this.#broker);
    const actor = this.#scene.startWorker({ ...TIMING, tasks: this.#tasks, broker });
    this.#workers[place] = { actor, cut };
    this.actors.push(actor);
  }

  crash(place: number, isLate: boolean): void {
    this.#workers[place]?.cut(isLate);
    this.#workers[place] = undefined;
  }
}

describe('two workers that come, go and crash', () => {
  it('lose nothing, run no epoch twice, never charge too much and never start early', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(tasks, { minLength: 2, maxLength: 2 }),
        fc.array(plans, { minLength: 1, maxLength: 6 }),
        fc.array(steps, { maxLength: 10 }),
        async (taskInputs, runPlans, script) => {
          const scene = setScene();
          const { clock, broker, queue } = scene;
          const log: Log = { executed: [], accepted: [], ended: [], early: [], isMended: false };
          const ids = runPlans.map((plan, index) => `task-${plan.task}@run-${index}`);
          const does = new Map(runPlans.map((plan, index) => [ids[index] ?? '', plan.does]));
          const defined = taskInputs.map(({ maxAttempts, baseMs, ...rest }, index) =>
            defineTask({
              ...rest,
              name: `task-${index}`,
              heartbeat: '2s',
              retry: {
                maxAttempts,
                attemptTimeout: '5s',
                retryOn: [TypeError],
                backoff: { type: 'constant', base: baseMs },
                jitter: 'full',
              },
              run: handler(scene, log, does),
            }),
          );
          const stage = new Stage(scene, defined, watched(broker, log));
          for (const [index, { task, delayMs }] of runPlans.entries()) {
            const isHandedOver = index % 4 === 0 && (taskInputs[task]?.maxAttempts ?? 0) > 1;
            const spent = isHandedOver ? { attempts: 1 } : undefined;
            const options = { key: `run-${index}`, delay: delayMs, spent };
            await queue.submit(defined[task] as AnyTask, null, options); // there are two
          }

          stage.start(0);
          for (const step of script) {
            if (step.type === 'advance') await clock.advance(step.ms);
            else if ('task' in step)
              await queue[step.type](defined[step.task] as AnyTask); // there are two
            else if (step.type === 'toggle') stage.toggle(step.worker);
            else stage.crash(step.worker, step.type === 'crash late');
            const audit = await queue.counts();
            expect([audit.created, audit.unbalanced]).toEqual([runPlans.length, 0]);
          }
          // G4: a lease and a cleaner interval after a crash, the runs are claimed by the other worker.
          stage.crash(0, false);
          stage.crash(1, true);
          await clock.advance('3s');
          const orphans = (await broker.list({ state: 'started', limit: 100 })).runs;
          stage.start(0);
          await clock.advance(LEASE_MS + CLEANER_MS);
          for (const { id, epoch } of orphans) {
            expect(log.accepted.filter((claim) => claim === `${id}:${epoch}`)).toHaveLength(1);
          }
          await clock.advance('5m');
          // What a circuit breaker, or an operator, still holds.
          log.isMended = true;
          for (const task of defined) await queue.resume(task);
          await clock.advance('1m');

          // G1: every run has ended, by exactly one accepted transition.
          const audit = await queue.counts();
          expect([audit.submitted, audit.scheduled, audit.started, audit.unbalanced]).toEqual([0, 0, 0, 0]);
          expect([...log.ended].sort()).toEqual([...does.keys()].sort());
          // G2 and G3: one accepted outcome per epoch, and one execution at most.
          expect(new Set(log.accepted).size).toBe(log.accepted.length);
          expect(new Set(log.executed).size).toBe(log.executed.length);
          // G6
          expect(log.early).toEqual([]);
          for (const { latenessMs } of stage.actors.flatMap((actor) => actor.emittedOf('started')))
            expect(latenessMs).toBeGreaterThanOrEqual(0);
          for (const [index, { task }] of runPlans.entries()) {
            const run = await queue.get(ids[index] ?? '');
            if (run === undefined) throw new Error('lost');
            const isCompleted = run.state === 'completed';
            // G5: the attempt that completes is one of maxAttempts too; releases charge nothing.
            const charged = run.failures + run.stalls;
            expect(run.carried + charged + (isCompleted ? 1 : 0)).toBeLessThanOrEqual(
              taskInputs[task]?.maxAttempts ?? 0,
            );
            expect(run.epoch).toBe(charged + run.releases + (isCompleted ? 1 : 0));
            expect(log.accepted.filter((claim) => claim.startsWith(`${ids[index]}:`))).toHaveLength(
              run.epoch,
            );
          }
        },
      ),
      { numRuns: NUM_RUNS },
    );
  });
});
