import { createPostgresBroker } from '@retry/postgres';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATOR_CALLS, setUpOperated } from '../support/operator-calls.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import type { TestSchema } from './open-broker.ts';
import { lendTestSchema, openPool } from './open-broker.ts';

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
    await setUpOperated(broker);
    isFailing = true;
    const answer = await OPERATOR_CALLS[name]?.[0](broker).catch((error) => error.code);
    expect(isFailing).toBe(false);
    await broker.close();
    await harness.close();
    return answer;
  }

  it.each(Object.keys(OPERATOR_CALLS))('rejects where its answer was lost: %s', async (name) => {
    expect(await callWith(name, 'ECONNRESET', true)).toBe('ECONNRESET');
  });

  it.each(
    Object.entries(OPERATOR_CALLS).flatMap(([name, [, answer]]) =>
      ['40001', '40P01', 'ECONNREFUSED', 'XX000'].map((code) => [name, code, answer] as const),
    ),
  )('is sent again where it was not applied: %s, %s', async (name, code, answer) => {
    expect(await callWith(name, code, false)).toEqual(answer);
  });
});
