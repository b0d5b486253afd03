import { randomUUID } from 'node:crypto';
import { createMemoryBroker } from '@retry/inprocess/broker';
import type { SqlClient } from '@retry/postgres';
import { createPostgresBroker, migrationSql } from '@retry/postgres';
import { createFakeClock } from '../inprocess/fake-clock.ts';
import type { Real } from '../support/broker-commands.ts';
import { pairBrokers } from '../support/paired-broker.ts';
import { emptyTables } from './open-broker.ts';

/** Creates pairs of a memory broker and a Postgres broker that use one fake clock. */
export interface PairFactory {
  /** Returns a pair without runs, and ends the one before. */
  readonly open: () => Promise<Real>;
  readonly close: () => Promise<void>;
}

/** A schema whose clock only moves when it is set. */
export interface ClockedSchema {
  readonly name: string;
  /** Sets its clock, in whole epoch milliseconds. */
  readonly setTime: (at: number) => Promise<unknown>;
  /** Empties every table. */
  readonly clear: () => Promise<unknown>;
  readonly drop: () => Promise<unknown>;
}

/** Creates a schema with a stopped clock, whose SQL is rewritten by `mutate`. */
export async function createClockedSchema(
  client: SqlClient,
  mutate: (sql: string) => string = (sql) => sql,
): Promise<ClockedSchema> {
  const name = `clocked_${randomUUID().slice(0, 8)}`;
  await client.query(mutate(migrationSql({ schema: name })));
  await client.query(`create table ${name}.clock as select 0::bigint as at`);
  await client.query(`create or replace function ${name}.now_ms() returns bigint language sql volatile
    as 'select at from ${name}.clock'`);
  return {
    name,
    setTime: (at) => client.query(`update ${name}.clock set at = $1::text::bigint`, [`${at}`]),
    clear: () => emptyTables(client, name),
    drop: () => client.query(`drop schema ${name} cascade`),
  };
}

/** Creates pairs over one schema with a stopped clock, whose SQL is rewritten by `mutate`. */
export async function createPairs(client: SqlClient, mutate?: (sql: string) => string): Promise<PairFactory> {
  const { name: schema, setTime, clear, drop } = await createClockedSchema(client, mutate);
  return {
    open: async () => {
      const clock = createFakeClock();
      const tick = (): Promise<unknown> => setTime(Math.floor(clock.now()));
      await clear();
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
      await drop();
    },
  };
}
