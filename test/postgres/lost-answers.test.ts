import type { Broker } from '@retry/core/broker';
import {
  cancelRuns,
  changeOperation,
  discardRuns,
  holdLanes,
  putOperation,
  redriveRuns,
  rescheduleRuns,
  resumeLanes,
} from '@retry/core/broker/kit';
import { createPostgresBroker } from '@retry/postgres';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { settlementOf } from '../support/settle.ts';
import type { TestSchema } from './open-broker.ts';
import { lendTestSchema, openPool } from './open-broker.ts';

/** What people ask for, and what they are answered: of a run `w` that waits, `d` that has failed, a lane on hold, and an operation. */
const CALLS: Readonly<
  Record<string, readonly [call: (broker: Broker) => Promise<unknown>, answer: unknown]>
> = {
  resume: [(broker) => resumeLanes(broker, [{ lane: 'l' }]), ['resumed']],
  'cancel an operation': [(broker) => changeOperation(broker, 'o', 'cancelled'), 'changed'],
  cancel: [(broker) => cancelRuns(broker, ['w']), ['cancelled']],
  reschedule: [(broker) => rescheduleRuns(broker, [{ id: 'w', delayMs: 60_000 }]), ['rescheduled']],
  redrive: [(broker) => redriveRuns(broker, ['d']), ['redriven']],
  discard: [(broker) => discardRuns(broker, ['d']), ['discarded']],
};

describeOnPostgres('a call of an operator', (server) => {
  let pool: pg.Pool;
  let schema: TestSchema;
  beforeAll(async () => {
    pool = openPool(server().url);
    schema = await lendTestSchema(pool);
  });
  afterAll(async () => {
    await schema.drop();
    await pool.end();
  });

  /** Makes a call whose write meets an error: once it is applied, or before. Returns its answer, or the code of its error. */
  async function callWith(name: string, code: string, isApplied: boolean): Promise<unknown> {
    const harness = await schema.open();
    let isFailing = false;
    const query = async (text: string, values?: unknown[]) => {
      const fails = isFailing && /\.(write_notes|change_runs)\(/.test(text);
      if (fails) isFailing = false;
      const answer = fails && !isApplied ? undefined : await pool.query(text, values);
      if (fails) throw Object.assign(new Error(`failed: ${code}`), { code });
      return answer;
    };
    const client = { query } as Pick<pg.Pool, 'query'>;
    const broker = createPostgresBroker({ client, schema: schema.name, listen: false });
    await setUp(broker);
    isFailing = true;
    const answer = await CALLS[name]?.[0](broker).catch((error) => error.code);
    expect(isFailing).toBe(false);
    await broker.close();
    await harness.close();
    return answer;
  }

  it.each(Object.keys(CALLS))('rejects where its answer was lost: %s', async (name) => {
    expect(await callWith(name, 'ECONNRESET', true)).toBe('ECONNRESET');
  });

  it.each(
    Object.entries(CALLS).flatMap(([name, [, answer]]) =>
      ['40001', '40P01', 'ECONNREFUSED', 'XX000'].map((code) => [name, code, answer] as const),
    ),
  )('is sent again where it was not applied: %s, %s', async (name, code, answer) => {
    expect(await callWith(name, code, false)).toEqual(answer);
  });
});

async function setUp(broker: Broker): Promise<void> {
  await broker.submit([{ id: 'd', lane: 'l', payload: '1' }]);
  const claim = { worker: 'w', requestId: 'r', limit: 1, lanes: new Map([['l', 1]]), leaseMs: 60_000 };
  const { claimed, now } = await broker.exchange({ claim });
  await broker.exchange({ settle: claimed.map(({ run }) => settlementOf(run, { type: 'fail', at: now })) });
  await broker.submit([{ id: 'w', lane: 'l', payload: '1' }]);
  await holdLanes(broker, [{ lane: 'l', source: 'operator' }]);
  const filter = { state: 'failed', endedBefore: Number.MAX_SAFE_INTEGER } as const;
  await putOperation(broker, { id: 'o', kind: 'redrive', filter, planned: 1, isPlanExact: true });
}
