import type { Broker } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PairFactory } from '../support/differential.ts';
import type { Mutant } from '../support/telling-scenes/mutant.ts';
import { playOn, smokeScenes } from '../support/telling-scenes/mutant.ts';

/** What the smoke test of a broker needs. */
export interface Smoke {
  /** Mistakes that one could make in the server's code. */
  readonly mutants: readonly Mutant[];
  /** Opens pairs of the memory broker and this one, which share a clock. */
  readonly openPairs: () => Promise<PairFactory>;
  /** Opens a client of a queue without runs; each call another client of the same queue. */
  readonly openClient: () => Promise<Broker>;
}

/** On a machine that is busy with much else; each takes a few tenths of a second. */
const LONG = { timeout: 120_000 };

/** What has no answer that could be compared step by step: the worker of the crash uses it. */
const OF_WORKERS = ['ready', 'wait', 'isRefusal'];

/** Pairs whose calls are noted by the names of their verbs. */
function listening({ open, close }: PairFactory, called: Set<string>): PairFactory {
  const noting = (broker: Broker): Broker =>
    new Proxy(broker, {
      get: (target, name) => {
        called.add(String(name));
        return Reflect.get(target, name);
      },
    });
  return {
    open: async () => {
      const real = await open();
      return { ...real, broker: noting(real.broker) };
    },
    close,
  };
}

/** Compares a broker with the reference, step by step, and lets one worker crash. */
export function describeSmoke({ mutants, openPairs, openClient }: Smoke): void {
  const scenes = smokeScenes(mutants);

  // The last of its tests looks at what the others have called.
  describe('step by step', { shuffle: false }, () => {
    let pairs: PairFactory | undefined;
    const called = new Set<string>();
    beforeAll(async () => {
      pairs = await openPairs();
    });
    afterAll(() => pairs?.close());

    it.each(scenes)(
      'agrees with the memory broker where a mistake would show that $name',
      LONG,
      async ({ scene }) => {
        await expect(pairs && playOn(listening(pairs, called), scene)).resolves.toBeUndefined();
      },
    );

    it('plays the scenes of at least 60 % of the mistakes that the mutation tests know', () => {
      const shown = scenes.reduce((sum, each) => sum + each.shown, 0);

      expect(shown / mutants.length).toBeGreaterThanOrEqual(0.6);
    });

    it('uses each verb of the port', () => {
      const verbs = Object.entries(createMemoryBroker()).flatMap(([name, verb]) =>
        typeof verb === 'function' && !OF_WORKERS.includes(name) ? [name] : [],
      );

      expect(verbs.filter((verb) => !called.has(verb))).toEqual([]);
    });
  });

  it('takes over the run of a worker that is gone, and redrives a dead letter', async () => {
    const task = defineTask({
      name: 'smoke',
      retry: { maxAttempts: 2, backoff: { type: 'none' } },
      run: (_payload: null, { attempt, epoch }) => {
        if (epoch < 3) throw new Error(`not yet: attempt ${attempt}`);
        return epoch;
      },
    });
    const [gone, broker] = await Promise.all([openClient(), openClient()]);
    const queue = createQueue({ broker });
    const { id } = await queue.submit(task, null);

    // It claims, and neither settles nor renews its lease.
    const lanes = new Map([['smoke@1', 1]]);
    const claim = { worker: 'gone', requestId: 'one', limit: 1, lanes, leaseMs: 100 };
    expect((await gone.exchange({ claim })).claimed).toHaveLength(1);
    await gone.close();

    const worker = createWorker({ broker, tasks: [task], lease: '1s', cleanerInterval: '100ms' });
    worker.start();
    await expect(queue.waitForResult(id)).rejects.toThrow('is failed');
    await queue.deadLetters.redrive({ all: true });
    expect(await queue.waitForResult(id)).toBe(3);
    expect(await broker.get([id])).toMatchObject([{ state: 'completed', redrives: 1 }]);
    await worker.stop();
    await broker.close();
  });
}
