import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import type { Read } from './plans.ts';
import { exercise, fill, listAll, openExplained, readsOf } from './plans.ts';

const SIZES = [0, 1_000, 200_000];

/** Small, and read as a whole: who waits, what was counted, which version this is. */
const SMALL = ['waiter', 'schema_version', 'tally'];

/** What a page of a state is looked up in, as a whole; the runs themselves are not. */
const LINES = ['ready', 'parked', 'scheduled', 'claim', 'finished'];

describeOnPostgres('the plan of every statement', (server) => {
  it.each(SIZES)(
    'reads the tables by their indexes alone at %i rows, analysed or not',
    {
      timeout: 120_000,
    },
    async (count) => {
      const { client, take } = await openExplained(server().url);
      const schema = `plans_${randomUUID().slice(0, 8)}`;
      await fill(client, schema, count);
      take();

      await exercise(client, schema, 'fresh');
      const fresh = take();
      await listAll(client, schema);
      const listed = take();
      await client.query('analyze');
      await client.query('discard plans');
      take();
      await exercise(client, schema, 'analysed');
      const analysed = take();
      await listAll(client, schema);
      const listedAnalysed = take();

      await client.query(`drop schema ${schema} cascade`);
      await client.end();
      expect(fresh.length).toBeGreaterThan(30);
      expect(readsOf(fresh).filter((read) => isWhole(read, SMALL))).toEqual([]);
      expect(readsOf(fresh)).toEqual(expect.arrayContaining([...readsOf(analysed)]));
      expect(readsOf(listed).filter((read) => isWhole(read, [...SMALL, ...LINES]))).toEqual([]);
      expect(readsOf(listed)).toEqual(readsOf(listedAnalysed));
    },
  );
});

function isWhole({ table, how }: Read, allowed: readonly string[]): boolean {
  return !['Index Scan', 'Index Only Scan', 'Tid Scan'].includes(how) && !allowed.includes(table);
}
