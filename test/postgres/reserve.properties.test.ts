import type { Reservation } from '@retry/core/broker';
import { createPostgresBroker } from '@retry/postgres';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { FORGOTTEN, playReservations, reservationPlays } from '../support/reservation-plays.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import type { ClockedSchema } from './clocked-schema.ts';
import { createClockedSchema } from './clocked-schema.ts';
import { openPool } from './open-broker.ts';

/** Mistakes in the function. */
const MUTANTS = [
  ['the edge of the window counts', '- p_window_ms + 1) / v_width', '- p_window_ms) / v_width'],
  ['a bucket leaves the window with its first instant', 'where bucket >= (', 'where bucket > ('],
  ['starts are granted while the clock is back', 'when p_now < v_kept.latest_at or', 'when'],
  ['a clock that is back for long blocks a limit', 'or p_now < v_kept.latest_at - p_window_ms', ''],
  [
    'starts of another window count as of the beginning of their bucket',
    'least((bucket + 1) *',
    'least(bucket *',
  ],
  ['starts do not count in the other windows', 'select at / width, p_starts)', 'select at / width, 0)'],
  [
    'a window that is new is made from the last used one',
    'order by window_ms < p_window_ms,',
    'order by place,',
  ],
  ['a refusal is written down', 'if granted > 0 then', 'if true then'],
  ['one more can be granted a bucket earlier', 'select (bucket + 1) * v_width', 'select bucket * v_width'],
  ['fewer are granted than are of use', 'or v_left < p_least then 0', 'or v_left < 1 then 0'],
  [
    'it is said when one can be granted to who needs more',
    'v_left + freed >= p_least',
    'v_left + freed >= 1',
  ],
  ['a correction adds nothing', '(p_count > 0 or at = any', '(at = any'],
  [
    'a correction takes away more than there are',
    'select bucket, greatest(0, sum(starts))::',
    'select bucket, sum(starts)::',
  ],
  ['a correction takes nothing away', 'select at, p_count from', 'select at, greatest(0, p_count) from'],
  [
    'a correction changes one window alone',
    'p_granted_at => p_granted_at, p_count => p_count,\n        buckets => other.buckets',
    'p_granted_at => p_granted_at, p_count => 0,\n        buckets => other.buckets',
  ],
  [
    'a correction changes what has left the window',
    'and at >= (p_latest_at - p_window_ms + 1)',
    'and 0 <= (p_latest_at - p_window_ms + 1)',
  ],
  ['a correction of the future counts', 'and p_granted_at <= p_latest_at', ''],
  [
    'an answer says an earlier instant',
    'when v_granted > 0 then v_now end',
    'when v_granted > 0 then v_now - 1 end',
  ],
] as const;

describeOnPostgres('reserve on Postgres', (server) => {
  let pool: ReturnType<typeof openPool>;
  beforeAll(() => {
    pool = openPool(server().url, 4);
  });
  afterAll(() => pool.end());

  function plays({ name: schema, setTime, clear }: ClockedSchema) {
    return fc.asyncProperty(reservationPlays(), async (play) => {
      await clear();
      const broker = createPostgresBroker({ client: pool, schema, listen: false });
      await playReservations(play, { broker, setTime }).finally(() => broker.close());
    });
  }

  it('answers as the pure rule at every step, whatever the clock does', async () => {
    const schema = await createClockedSchema(pool);

    await fc
      .assert(plays(schema), { numRuns: propertyRuns(1), examples: [[FORGOTTEN]] })
      .finally(schema.drop);
  });

  it.each(MUTANTS)('notices when %s', async (_, right, wrong) => {
    let isApplied = false;
    const schema = await createClockedSchema(pool, (sql) => {
      isApplied ||= sql.includes(right);
      return sql.replace(right, () => wrong);
    });

    const details = await fc
      .check(plays(schema), { seed: 1, numRuns: 300, endOnFailure: true })
      .finally(schema.drop);

    expect({ isApplied, isNoticed: details.failed }).toEqual({ isApplied: true, isNoticed: true });
    expect(String(details.errorInstance)).toContain('answered differently');
  });

  it('forgets limits that are not used while others are added, so that their number stays bounded', async () => {
    const schema = await createClockedSchema(pool);
    const broker = createPostgresBroker({ client: pool, schema: schema.name, listen: false });
    const start = 1_700_000_000_000;
    let most = 0;

    for (let round = 0; round < 30; round += 1) {
      await schema.setTime(start + round * 100_000);
      await broker.reserve(Array.from({ length: 20 }, (_, index) => limitOf(`${round}-${index}`)));
      const { rows } = await pool.query(`select count(*)::int as kept from ${schema.name}.start_limit`);
      most = Math.max(most, rows[0].kept);
    }

    expect(most).toBeLessThanOrEqual(60);
    await broker.close();
    await schema.drop();
  });

  it('does not send again what takes starts away, when a connection breaks after it was written', async () => {
    const schema = await createClockedSchema(pool);
    let breaks = false;
    const client = {
      query: async (text: string, values?: unknown[]) => {
        const answer = await pool.query(text, values);
        if (!breaks) return answer;
        breaks = false;
        throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
      },
    };
    const broker = createPostgresBroker({ client, schema: schema.name, listen: false });
    await schema.setTime(1_700_000_000_000);
    const [all] = await broker.reserve([{ ...limitOf('a'), count: 5 }]);

    breaks = true;
    const call = broker.reserve([{ key: 'a', grantedAt: all?.grantedAt ?? 0, count: -2 }]);

    await expect(call).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await broker.reserve([{ ...limitOf('a'), count: 5 }]))[0]?.granted).toBe(2);
    await broker.close();
    await schema.drop();
  });

  it('neither blocks nor grants too much when many calls name the same limits in other orders', async () => {
    const schema = await createClockedSchema(pool);
    const open = (): ReturnType<typeof createPostgresBroker> =>
      createPostgresBroker({ client: pool, schema: schema.name, listen: false });
    const brokers = [open(), open()];
    await schema.setTime(1_700_000_000_000);
    const keys = ['a', 'b', 'c', 'd'];

    const calls = Array.from({ length: 60 }, (_, index) => {
      const some = keys.map((_, at) => limitOf(keys[(at + index) % 4] ?? '', 50));
      return brokers[index % 2]?.reserve(index % 3 === 0 ? some.reverse() : some) ?? Promise.resolve([]);
    });
    const granted = (await Promise.all(calls)).flat().reduce((sum, answer) => sum + answer.granted, 0);

    expect(granted).toBe(4 * 50);
    await Promise.all(brokers.map((broker) => broker.close()));
    await schema.drop();
  });
});

function limitOf(key: string, limit = 5): Reservation {
  return { key, limit, windowMs: 1_000, count: 1 };
}
