import type { Broker } from '@retry/core/broker';
import {
  cancelRuns,
  discardRuns,
  endRuns,
  holdLanes,
  redriveRuns,
  rescheduleRuns,
  resumeLanes,
} from '@retry/core/broker/kit';
import { createPostgresBroker } from '@retry/postgres';
import type pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { settlementOf } from '../support/settle.ts';
import type { TestSchema } from './open-broker.ts';
import { lendTestSchema, openPool } from './open-broker.ts';

const ROUNDS = 60;
const IDS = Array.from({ length: 40 }, (_, index) => `run-${index}`);

const completed = (id: string) => ({ id, as: 'completed', result: '1' }) as const;

const failed = (id: string) => ({ id, as: 'failed', error: { name: 'E', message: 'by hand' } }) as const;

/** A short hold, of which every other one probes. */
function hold(lane: string, round: number) {
  return {
    ...({ lane, source: 'circuit-breaker', forMs: round % 3 } as const),
    ...(round % 2 === 0 && { probeMs: 2 }),
  };
}

/** Returns some of the ids, different ones for each round and in another order. */
function some(round: number): readonly string[] {
  const hash = (id: string): number => (Number(id.slice(4)) * 7_919 + round * 104_729) % 1_009;
  return IDS.filter((_, index) => (index * 7 + round) % 3 !== 0).sort(
    (left, right) => hash(left) - hash(right),
  );
}

describeOnPostgres('operators among workers', (server) => {
  let pool: pg.Pool;
  let schema: TestSchema;
  let broker: Broker;
  beforeEach(async () => {
    pool = openPool(server().url, 8);
    schema = await lendTestSchema(pool);
    broker = createPostgresBroker({
      client: pool,
      schema: schema.name,
      keepCompleted: { count: 5 },
      listen: false,
    });
  });
  afterEach(async () => {
    await broker.close();
    await schema.drop();
    await pool.end();
  });

  const work = async (worker: string, round: number): Promise<void> => {
    const lanes = new Map([['l', 10]]);
    const claim = { worker, requestId: `${round}`, limit: 10, lanes, leaseMs: 60_000 };
    const { claimed, now: at } = await broker.exchange({ claim });
    const settle = claimed.map(({ run }, index) => {
      const type = (['complete', 'fail', 'retry', 'release'] as const)[(index + round) % 4] ?? 'fail';
      return settlementOf(run, type === 'retry' ? { type, at, runAt: at + (index % 2) } : { type, at });
    });
    await broker.exchange({ settle: settle.reverse() });
  };

  it('cancel, end, reschedule, redrive and discard the same runs at the same time, and every run stays in one location', async () => {
    const concurrency = { key: 'k', limit: 2, whenFull: 'wait' } as const;
    for (let round = 0; round < ROUNDS; round += 1) {
      const submissions = IDS.map((id, index) => ({
        ...{ id, lane: 'l', payload: '{}' },
        ...(index % 5 === 0 ? { concurrency } : {}),
        ...(index % 7 === 0 ? { delayMs: index } : {}),
      }));
      await Promise.all([
        broker.submit(submissions),
        work('w1', round),
        work('w2', round),
        cancelRuns(broker, some(round)),
        cancelRuns(broker, some(round + 1)),
        endRuns(
          broker,
          some(round + 4).map((id, index) => (index % 2 === 0 ? failed(id) : completed(id))),
        ),
        rescheduleRuns(
          broker,
          some(round + 5).map((id, index) => ({ id, delayMs: (index + round) % 3 })),
        ),
        rescheduleRuns(
          broker,
          some(round + 6).map((id) => ({ id })),
        ),
        holdLanes(broker, [hold('l', round), hold('m', round)]),
        holdLanes(broker, [hold('m', round + 1), hold('l', round + 1)]),
        resumeLanes(broker, [{ lane: 'm' }, { lane: 'l' }]),
        redriveRuns(broker, some(round + 2)),
        discardRuns(broker, some(round + 3)),
        discardRuns(broker, some(round)),
        broker.findExpired(5),
      ]);
    }

    const { unbalanced, created, forgotten } = await broker.audit();

    expect(unbalanced).toBe(0);
    expect(created).toBeGreaterThan(forgotten);
    expect(forgotten).toBeGreaterThan(IDS.length);
  });
});
