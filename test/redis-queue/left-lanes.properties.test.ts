import type { Broker } from '@retry/core/broker';
import {
  cancelRuns,
  discardRuns,
  endRuns,
  holdLanes,
  redriveRuns,
  rescheduleRuns,
} from '@retry/core/broker/kit';
import type { RunEvent } from '@retry/core/lifecycle';
import fc from 'fast-check';
import { createClient } from 'redis';
import { expect, it } from 'vitest';
import { assertBalanced } from '../support/broker-checked.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { settlementOf } from '../support/settle.ts';
import { createPairs } from './scripted-redis.ts';

const LONG_MS = 60_000;
const IDS = ['a', 'b', 'c', 'd', 'e'];
/** Two of them share a key, behind which one waits for the other. */
const KEYED = ['d', 'e'];
const CONCURRENCY = { key: 'k', limit: 1, whenFull: 'wait' } as const;

/** One thing that happens to runs of one lane; those that leave it leave their ids in its list. */
interface Step {
  readonly what: 'submit' | 'later' | 'now' | 'cancel' | 'fail' | 'redrive' | 'discard' | 'claim';
  readonly ids: readonly string[];
  /** How a claimed run is settled; `keep`: not yet. */
  readonly outcome: 'complete' | 'release' | 'retry' | 'keep';
}

const someIds = fc.uniqueArray(fc.constantFrom(...IDS), { minLength: 1 });
const anyStep: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom(
    ...(['submit', 'submit', 'later', 'later', 'now', 'now', 'now', 'cancel', 'fail', 'redrive'] as const),
    ...(['discard', 'claim'] as const),
  ),
  ids: someIds,
  outcome: fc.constantFrom('complete', 'release', 'retry', 'keep'),
});

/** Sends calls that two brokers have to answer alike. */
class Player {
  readonly #broker: Broker;
  #requests = 0;

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  async play({ what, ids, outcome }: Step): Promise<unknown> {
    const error = { name: 'E', message: 'by hand' };
    switch (what) {
      case 'submit':
        return this.#broker.submit(
          ids.map((id) => ({
            ...{ id, lane: 'l', payload: '1' },
            ...(KEYED.includes(id) && { concurrency: CONCURRENCY }),
          })),
        );
      case 'later':
        return rescheduleRuns(
          this.#broker,
          ids.map((id) => ({ id, delayMs: LONG_MS })),
        );
      case 'now':
        return rescheduleRuns(
          this.#broker,
          ids.map((id) => ({ id })),
        );
      case 'cancel':
        return cancelRuns(this.#broker, ids);
      case 'fail':
        return endRuns(
          this.#broker,
          ids.map((id) => ({ id, as: 'failed', error })),
        );
      case 'redrive':
        return redriveRuns(this.#broker, ids);
      case 'discard':
        return discardRuns(this.#broker, ids);
      case 'claim':
        return this.#claim(ids.length, outcome);
    }
  }

  async #claim(limit: number, outcome: Step['outcome']): Promise<readonly string[]> {
    const lanes = new Map([['l', limit]]);
    const claim = { worker: 'w', requestId: `${++this.#requests}`, limit, lanes, leaseMs: LONG_MS };
    const { claimed, now: at } = await this.#broker.exchange({ claim });
    if (outcome !== 'keep') {
      const event =
        outcome === 'retry' ? { type: outcome, at, runAt: at } : ({ type: outcome, at } as RunEvent);
      await this.#broker.exchange({ settle: claimed.map(({ run }) => settlementOf(run, event)) });
    }
    return claimed.map(({ run }) => run.id);
  }

  /** Which runs wait, in their order. The paired broker compares. */
  async look(): Promise<readonly string[]> {
    assertBalanced(await this.#broker.audit());
    return (await this.#broker.list({ state: 'submitted', limit: 100 })).runs.map(({ id }) => id);
  }
}

describeOnRedis('runs that leave their lane and come back to it', (server) => {
  it('are claimed once each, in the order of the memory broker, whatever they left in the list', async () => {
    const pairs = await createPairs(server().url);
    const property = fc.asyncProperty(fc.array(anyStep, { maxLength: 60, size: 'max' }), async (steps) => {
      const { broker } = await pairs.open();
      const player = new Player(broker);

      for (const step of steps) {
        await player.play(step);
        await player.look();
      }

      await broker.close();
    });

    await fc.assert(property, { numRuns: propertyRuns(3 / 4) }).finally(pairs.close);
  });

  it('leave a bounded number of ids in a lane that no worker claims from', async () => {
    const { broker, prefix, close } = await openRedisHarness(server().url);
    const client = await createClient({ url: server().url }).connect();
    const submission = (id: string) => ({ id, lane: 'l', payload: '1' });
    await broker.submit([submission('first'), submission('a')]);

    const lengths: number[] = [];
    for (let cycle = 0; cycle < 2_500; cycle += 1) {
      await rescheduleRuns(broker, [{ id: 'a', delayMs: LONG_MS }]);
      await rescheduleRuns(broker, [{ id: 'a' }]);
      if (cycle % 100 === 0) lengths.push(await client.lLen(`{${prefix}:0}:lane:l`));
    }
    assertBalanced(await broker.audit());
    const lanes = new Map([['l', 9]]);
    const claim = { worker: 'w', requestId: 'r', limit: 9, lanes, leaseMs: LONG_MS };
    const { claimed } = await broker.exchange({ claim });
    const left = await client.exists([`{${prefix}:0}:lane:l`, `{${prefix}:0}:cancelled-in-lane`]);
    await client.close();
    await close();

    expect(claimed.map(({ run }) => run.id)).toEqual(['first', 'a']);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(1_002);
    expect(left).toBe(0);
  });

  it('are ended by hand and redriven as often as one likes', async () => {
    const { broker, prefix, close } = await openRedisHarness(server().url);
    const client = await createClient({ url: server().url }).connect();
    await holdLanes(broker, [{ source: 'operator' }]);
    await broker.submit([{ id: 'a', lane: 'l', payload: '1' }]);

    for (let cycle = 0; cycle < 50; cycle += 1) {
      await endRuns(broker, [{ id: 'a', as: 'failed', error: { name: 'E', message: 'by hand' } }]);
      await redriveRuns(broker, ['a']);
    }
    const length = await client.lLen(`{${prefix}:0}:lane:l`);
    assertBalanced(await broker.audit());
    await client.close();
    await close();

    expect(length).toBe(1);
  });
});
