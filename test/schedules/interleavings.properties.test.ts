import type { Broker } from '@retry/core/broker';
import { createVirtualClock } from '@retry/core/testing';
import { createMemoryBroker } from '@retry/inprocess/broker';
import type { MissedFires } from '@retry/worker';
import { createQueue, defineTask } from '@retry/worker';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSteps } from '../../packages/broker-contract/src/case-scene.ts';
import type { WorkerEmitter } from '../../packages/worker/src/events.ts';
import { Scheduler } from '../../packages/worker/src/schedules/scheduler.ts';
import { settlementOf } from '../support/settle.ts';

const EVERY_MS = 7_000;
const task = defineTask({ name: 'tick', run: (_: number) => {} });

/** Time passes, the schedule is changed or not, and workers fire at the same time, of which some die at one of their calls. */
interface Round {
  readonly passMs: number;
  readonly change: boolean;
  /** One for each worker: at which of its calls it dies, before or after that has had its effect; most live. */
  readonly workers: readonly { readonly diesAt: number; readonly hasEffect: boolean }[];
}

const rounds: fc.Arbitrary<readonly Round[]> = fc.array(
  fc.record({
    passMs: fc.oneof(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 100_000 })),
    change: fc.boolean(),
    workers: fc.array(
      fc.record({
        diesAt: fc.oneof(fc.constant(Infinity), fc.integer({ min: 0, max: 4 })),
        hasEffect: fc.boolean(),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  { maxLength: 6 },
);

/** A broker of one worker: its calls are made in any order among those of others, and it may die at one of them. */
function mortal(broker: Broker, worker: Round['workers'][number], turns: fc.Scheduler): Broker {
  let calls = 0;
  const call = async <Answer>(make: () => Promise<Answer>): Promise<Answer> => {
    const index = calls;
    calls += 1;
    await turns.schedule(Promise.resolve());
    if (index >= worker.diesAt && !(index === worker.diesAt && worker.hasEffect)) throw new Error('dead');
    const answer = await make();
    await turns.schedule(Promise.resolve());
    if (index === worker.diesAt) throw new Error('dead');
    return answer;
  };
  const { notes } = broker;
  return {
    ...broker,
    submit: (submissions) => call(() => broker.submit(submissions)),
    notes: {
      read: (query) => call(() => notes.read(query)),
      write: (writes) => call(() => notes.write(writes)),
    },
  };
}

const emitter: WorkerEmitter = { on: () => () => {}, isObserved: () => false, emit: () => {} };

it.each<MissedFires>([{ all: 1_000 }, 'latest', 'skip'])(
  'workers that die anywhere fire each instant at most once, and none is lost where all of the missed count: %j',
  async (missed) => {
    await fc.assert(
      fc.asyncProperty(rounds, fc.scheduler(), async (all, turns) => {
        const clock = createVirtualClock({ startAt: 0, settle: async () => {} });
        const broker = createMemoryBroker({ clock, keepCompleted: { count: 0 } });
        const queue = createQueue({ broker, clock });
        const created: string[] = [];
        const submit: Broker['submit'] = async (submissions) => {
          const answers = await broker.submit(submissions);
          created.push(...submissions.flatMap(({ id }, index) => (answers[index] === 'created' ? [id] : [])));
          return answers;
        };
        const fire = (own: Broker): Promise<unknown> =>
          new Scheduler({ broker: own, clock, random: () => 0 }, emitter).fireDue(
            new AbortController().signal,
          );
        const schedule = (payload: number): Promise<unknown> =>
          queue.schedule('tick', { task, payload, every: EVERY_MS, missed });

        await schedule(0);
        for (const [index, { passMs, change, workers }] of all.entries()) {
          await clock.advance(passMs);
          const firing = workers.map((worker) => fire(mortal({ ...broker, submit }, worker, turns)));
          if (change) firing.push(schedule(index + 1));
          await turns.waitFor(Promise.allSettled(firing));
          await endAll(broker);
        }
        // The next worker makes up for those that have died.
        await clock.advance(30_000);
        await fire({ ...broker, submit });

        const now = clock.now();
        const instants = created.map((id) => Date.parse(id.slice(id.lastIndexOf('@') + 1)));
        expect(instants).toHaveLength(new Set(instants).size);
        expect(instants.every((at) => at <= now && at % EVERY_MS === 0)).toBe(true);
        if (typeof missed === 'string') return;
        const expected = Array.from(
          { length: Math.floor(now / EVERY_MS) },
          (_, index) => (index + 1) * EVERY_MS,
        );
        expect([...instants].sort((one, other) => one - other)).toEqual(expected);
      }),
    );
  },
);

/** Completes every run: the broker forgets it immediately. */
async function endAll(broker: Broker): Promise<void> {
  const { claim, settle, now } = createSteps(broker);
  const claimed = await claim({ lanes: [task.lane], limit: 1_000 });
  const at = await now();
  await settle(...claimed.map(({ run }) => settlementOf(run, { type: 'complete', at })));
}
