import { randomUUID } from 'node:crypto';
import { createMemoryBroker } from '@retry/inprocess';
import type { SqlClient } from '@retry/postgres';
import { createPostgresBroker, migrationSql } from '@retry/postgres';
import { createFakeClock } from '../inprocess/fake-clock.ts';
import type { Real } from '../support/broker-commands.ts';
import { pairBrokers } from '../support/paired-broker.ts';
import { TABLES } from './open-broker.ts';

/** Makes pairs of a memory broker and a Postgres broker that live by one fake clock. */
export interface PairFactory {
  /** A pair without runs; the one before it is over. */
  readonly open: () => Promise<Real>;
  readonly close: () => Promise<void>;
}

/** Pairs over one schema whose clock stands still, and whose SQL is rewritten by `mutate`. */
export async function createPairs(
  client: SqlClient,
  mutate: (sql: string) => string = (sql) => sql,
): Promise<PairFactory> {
  const schema = `differential_${randomUUID().slice(0, 8)}`;
  await client.query(mutate(migrationSql({ schema })));
  await client.query(`create table ${schema}.clock as select 0::bigint as at`);
  await client.query(`create or replace function ${schema}.now_ms() returns bigint language sql volatile
    as 'select at from ${schema}.clock'`);
  const tables = TABLES.map((table) => `${schema}.${table}`).join(', ');
  return {
    open: async () => {
      const clock = createFakeClock();
      const tick = (): Promise<unknown> =>
        client.query(`update ${schema}.clock set at = $1::text::bigint`, [`${Math.floor(clock.now())}`]);
      await client.query(`truncate ${tables}`);
      await tick();
      const postgres = createPostgresBroker({ client, schema, keepCompleted: Infinity, listen: false });
      const memory = createMemoryBroker({ clock, keepCompleted: Infinity });
      const advance = async (ms: number): Promise<void> => {
        await clock.advance(ms);
        await tick();
      };
      return { broker: pairBrokers(postgres, memory), advance, clock: 'fake' };
    },
    close: async () => {
      await client.query(`drop schema ${schema} cascade`);
    },
  };
}
