import { randomUUID } from 'node:crypto';
import { createMemoryBroker } from '@retry/inprocess/broker';
import type { SqlClient } from '@retry/postgres';
import { createPostgresBroker, migrationSql } from '@retry/postgres';
// Not exported by the package: single functions are replaced.
import { fillIn } from '../../packages/postgres/src/schema/migrations.ts';
import { ROUTINES } from '../../packages/postgres/src/schema/sql-code.ts';
import { createFakeClock } from '../inprocess/fake-clock.ts';
import type { PairFactory } from '../support/differential.ts';
import { pairBrokers } from '../support/paired-broker.ts';
import { emptyTables } from './open-broker.ts';

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

/** Creates pairs over one schema with a stopped clock. */
export async function createPairs(client: SqlClient): Promise<PairFactory> {
  return pairsOver(client, await createClockedSchema(client));
}

/** Functions of a schema that are replaced for a while. */
interface Mutable {
  /** Replaces the functions that `mutate` changes, does the work, and puts them back. @returns `undefined` when it changes none */
  readonly withMutated: <Result>(
    mutate: (sql: string) => string,
    work: () => Promise<Result>,
  ) => Promise<{ readonly result: Result } | undefined>;
}

/** Pairs over one schema, some of whose functions are replaced for a while. */
export type MutablePairs = PairFactory & Mutable;

/** A schema with a stopped clock, some of whose functions are replaced for a while. */
export type MutableSchema = ClockedSchema & Mutable;

/** Creates pairs whose functions can be replaced: a schema for each mistake would take most of the time. */
export async function createMutablePairs(client: SqlClient): Promise<MutablePairs> {
  const schema = await createMutableSchema(client);
  return { ...pairsOver(client, schema), withMutated: schema.withMutated };
}

/** Creates a schema whose functions can be replaced. */
export async function createMutableSchema(client: SqlClient): Promise<MutableSchema> {
  const schema = await createClockedSchema(client);
  const routines = ROUTINES.map((text) =>
    fillIn(text.replace(/^create /, 'create or replace '), schema.name),
  );
  const run = async (statements: readonly string[]): Promise<void> => {
    for (const text of statements) await client.query(`set search_path = ${schema.name}; ${text}`);
    await client.query('reset search_path');
  };
  return {
    ...schema,
    withMutated: async (mutate, work) => {
      const changed = routines.filter((text) => mutate(text) !== text);
      if (changed.length === 0) return undefined;
      await run(changed.map(mutate));
      return { result: await work().finally(() => run(changed)) };
    },
  };
}

function pairsOver(client: SqlClient, { name: schema, setTime, clear, drop }: ClockedSchema): PairFactory {
  return {
    open: async () => {
      const clock = createFakeClock();
      const tick = (): Promise<unknown> => setTime(Math.floor(clock.now()));
      await clear();
      await tick();
      const postgres = createPostgresBroker({
        client,
        schema,
        keepCompleted: { count: Infinity },
        listen: false,
      });
      const memory = createMemoryBroker({ clock, keepCompleted: { count: Infinity } });
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
