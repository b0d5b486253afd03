import type { Broker, ClaimedRun, Settlement, Submission } from '@retry/core/broker';
import type { PostgresBroker } from '@retry/postgres';
import { createPostgresBroker } from '@retry/postgres';
import type pg from 'pg';
import { afterEach, beforeEach, expect } from 'vitest';
import { passTime } from '../support/pass-time.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { settlementOf } from '../support/settle.ts';
import type { TestSchema } from './open-broker.ts';
import { createTestSchema, openPool } from './open-broker.ts';

/** A broker over a pool, and a transaction that the test keeps open. */
export interface TwoConnections {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly schema: TestSchema;
  readonly tx: pg.PoolClient;
  readonly broker: PostgresBroker;
  readonly submit: (
    ...runs: readonly (Partial<Submission> & { readonly id: string })[]
  ) => Promise<readonly unknown[]>;
  readonly claim: (requestId: string, limit?: number, by?: Broker) => Promise<readonly ClaimedRun[]>;
  /** Locks the row of a run for `tx`, or for another transaction. */
  readonly lock: (table: 'run' | 'ready', id: string, by?: pg.PoolClient) => Promise<unknown>;
  /** Makes every claim of this run wait until `tx` ends. */
  readonly pauseClaimOf: (id: string) => Promise<void>;
  /** Resolves when this number of connections wait for `tx`, directly or not. */
  readonly untilBlocked: (count?: number) => Promise<void>;
  /**
   * Calls until a call is seen to wait for `tx`: one that waits for locks for some milliseconds alone may have its answer before, and is
   * called again. @returns what the one that was seen answers
   */
  readonly untilOneWaits: <Answer>(
    call: () => Promise<Answer>,
  ) => Promise<{ readonly answer: Promise<Answer> }>;
}

/** Describes tests with two connections; after each, the audit must be balanced. */
export function describeTwoConnections(name: string, body: (open: () => TwoConnections) => void): void {
  describeOnPostgres(name, (server) => {
    let two: TwoConnections | undefined;
    beforeEach(async () => {
      two = await openTwo(server().url);
    });
    afterEach(async () => {
      if (two === undefined) return;
      const { pool, schema, tx, broker } = two;
      await tx.query('rollback').catch(() => undefined);
      tx.release();
      const { unbalanced } = await broker.audit();
      await broker.close();
      await schema.drop();
      await pool.end();
      expect(unbalanced).toBe(0);
    });
    body(() => {
      if (two === undefined) throw new Error('The connections are not open yet.');
      return two;
    });
  });
}

/** Returns settlements that complete these runs. */
export function completed(claimed: readonly ClaimedRun[]): readonly Settlement[] {
  return claimed.map(({ run }) => settlementOf(run, { type: 'complete', at: run.firstStartedAt ?? 0 }));
}

export function idsOf(claimed: readonly ClaimedRun[]): readonly string[] {
  return claimed.map(({ run }) => run.id);
}

async function openTwo(url: string): Promise<TwoConnections> {
  const pool = openPool(url);
  const schema = await createTestSchema(pool);
  const broker = createPostgresBroker({ client: pool, schema: schema.name, listen: false });
  const tx = await pool.connect();
  await tx.query('begin');
  return {
    ...{ url, pool, schema, broker, tx },
    submit: (...runs) => broker.submit(runs.map((run) => ({ lane: 'l', payload: '{}', ...run }))),
    claim: async (requestId, limit = 9, by = broker) => {
      const lanes = new Map([['l', limit]]);
      const { claimed } = await by.exchange({
        claim: { worker: 'w', requestId, limit, lanes, leaseMs: 60_000 },
      });
      return claimed;
    },
    lock: (table, id, by = tx) =>
      by.query(`select from ${schema.name}.${table} where id = $1 for update`, [id]),
    pauseClaimOf: async (id) => {
      await tx.query('select pg_advisory_xact_lock(42)');
      await pool.query(`create function ${schema.name}.pause() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock_shared(42); return old; end $$`);
      await pool.query(`create trigger pause before delete on ${schema.name}.ready for each row
        when (old.id = '${id}') execute function ${schema.name}.pause()`);
    },
    untilBlocked: async (count = 1) => {
      while (!(await areBlocked(count))) await passTime(5);
    },
    untilOneWaits: async (call) => {
      for (;;) {
        let isAnswered = false;
        const answer = call().finally(() => {
          isAnswered = true;
        });
        while (!isAnswered) if (await areBlocked(1)) return { answer };
      }
    },
  };

  async function areBlocked(count: number): Promise<boolean> {
    const { rows } = await tx.query('select pg_backend_pid() as pid');
    const waiting = `with recursive blocked (pid) as (select $1::integer union select a.pid from blocked, pg_stat_activity a
      where blocked.pid = any (pg_blocking_pids(a.pid))) select from blocked`;
    return (await pool.query(waiting, [rows[0].pid])).rowCount === count + 1;
  }
}
