import type { Broker } from '@retry/core/broker';
import type { VirtualClock } from '@retry/core/testing';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { pass } from './scene.ts';

const NUM_RUNS = propertyRuns(1 / 10);

/** What the server does from `from` until `until`, and how a worker's client meets that. */
interface Outage {
  readonly from: number;
  readonly until: number;
}

interface Client {
  /** How long after the outage the client is connected again. */
  readonly reconnectMs: number;
  /** Whether calls wait for the connection, or fail. */
  readonly doesWait: boolean;
}

/** The broker as a worker reaches it over a connection of its own, which an outage breaks. */
function clientOf(
  broker: Broker,
  clock: VirtualClock,
  { from, until, reconnectMs, doesWait }: Outage & Client,
): Broker {
  const reached = async (): Promise<void> => {
    const now = clock.now();
    if (now < from || now >= until + reconnectMs) return;
    if (!doesWait) throw new Error('the connection is closed');
    await pass(clock, until + reconnectMs - now);
  };
  const guard =
    <Args extends unknown[], Answer>(verb: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      await reached();
      return verb(...args);
    };
  const { figures: _, ...rest } = broker;
  return {
    ...rest,
    exchange: guard(broker.exchange),
    heartbeat: guard(broker.heartbeat),
    findExpired: guard(broker.findExpired),
    attend: guard(broker.attend),
    wait: guard(broker.wait),
  };
}

interface Play {
  readonly leaseMs: number;
  /** How long the server is away, in leases. */
  readonly leases: number;
  /** How far its clock jumps forward meanwhile, in leases. */
  readonly jump: number;
  /** When the outage begins, in leases. */
  readonly startsAt: number;
  /** How long each handler takes, in leases. */
  readonly handlers: readonly number[];
  readonly clients: readonly Client[];
  /** A worker that starts when the server is back. */
  readonly fresh: Client & { readonly afterMs: number };
}

const client = fc.record({ reconnectMs: fc.integer({ min: 0, max: 2_400 }), doesWait: fc.boolean() });

const play: fc.Arbitrary<Play> = fc.record({
  leaseMs: fc.constantFrom(3_000, 9_000, 30_000),
  leases: fc.double({ min: 1, max: 2.5, noNaN: true }),
  jump: fc.constantFrom(0, 0, 2),
  startsAt: fc.double({ min: 0, max: 2, noNaN: true }),
  handlers: fc.array(fc.double({ min: 0.1, max: 4, noNaN: true }), { minLength: 1, maxLength: 8 }),
  clients: fc.array(client, { minLength: 1, maxLength: 3 }),
  fresh: fc.record({
    reconnectMs: fc.constant(0),
    doesWait: fc.boolean(),
    afterMs: fc.integer({ min: 0, max: 2_000 }),
  }),
});

/** Plays the outage to its end. @returns how often each run was started, and the runs */
async function watch({ leaseMs, leases, jump, startsAt, handlers, clients, fresh }: Play, deadRuns = 0) {
  const clock = createTestClock();
  const outage = { from: startsAt * leaseMs, until: (startsAt + leases) * leaseMs };
  const serverNow = (): number => clock.now() + (clock.now() < outage.until ? 0 : jump * leaseMs);
  const broker = createMemoryBroker({ clock: { ...clock, now: serverNow }, keepCompleted: { count: 1_000 } });
  const queue = createQueue({ broker, clock });
  const starts = new Map<string, number[]>();
  const task = defineTask({
    name: 'long',
    retry: { maxAttempts: deadRuns === 0 ? 1 : 2, backoff: { type: 'none' }, jitter: 'none' },
    run: async (part: number, { id }) => {
      starts.set(id, [...(starts.get(id) ?? []), clock.now()]);
      await pass(clock, part * leaseMs);
    },
  });
  const dead = await queue.submitMany(task, Array<number>(deadRuns).fill(0.1));
  const lanes = new Map([['long@1', deadRuns]]);
  await broker.exchange({ claim: { worker: 'dead', requestId: 'r', limit: deadRuns, lanes, leaseMs } });
  const submitted = await queue.submitMany(task, [...handlers]);
  // Each of them has runs, so that one whose client comes back first finds those of another.
  const concurrency = Math.ceil((handlers.length + deadRuns) / clients.length);
  const start = (each: Client): (() => Promise<void>) => {
    const worker = createWorker({
      ...{ clock, tasks: [task], broker: clientOf(broker, clock, { ...outage, ...each }) },
      ...{ signals: [], lease: leaseMs, concurrency, prefetch: 0, pollInterval: '1m', shutdownTimeout: '1s' },
    });
    worker.on('error', () => {});
    worker.start();
    return worker.stop;
  };
  const stops = clients.map(start);
  await clock.advance(outage.until + fresh.afterMs);
  stops.push(start(fresh));
  await clock.advance(9 * leaseMs + 5_000);
  const runs = await Promise.all([...dead, ...submitted].map(({ id }) => queue.get(id)));
  const stopped = Promise.all(stops.map((stop) => stop()));
  await clock.advance('2s');
  await stopped;
  return { starts, runs, deadIds: dead.map(({ id }) => id), backAt: outage.until };
}

describe('an outage of the server that outlasts the leases', () => {
  it('has no handler of a living worker run twice, charges no run, and loses no completion', async () => {
    await fc.assert(
      fc.asyncProperty(play, async (given) => {
        const { starts, runs } = await watch(given);

        for (const run of runs) {
          expect(run).toMatchObject({ state: 'completed', stalls: 0, failures: 0, epoch: 1 });
          expect(starts.get(run?.id ?? '')).toHaveLength(1);
        }
      }),
      { numRuns: NUM_RUNS },
    );
  });

  it('keeps the runs of a dead worker for an interval of heartbeats and a reconnect, or of the cleaner', async () => {
    await fc.assert(
      fc.asyncProperty(play, async (given) => {
        const { starts, runs, deadIds, backAt } = await watch({ ...given, handlers: [] }, 2);
        const mostMs = Math.max(given.leaseMs / 3 + 2_500, given.leaseMs / 2) + 3_000;

        for (const run of runs) expect(run).toMatchObject({ state: 'completed' });
        for (const id of deadIds) expect(starts.get(id)?.at(-1)).toBeLessThanOrEqual(backAt + mostMs);
      }),
      { numRuns: NUM_RUNS },
    );
  });
});
