import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { SmallCalls } from '../../harness/exchange-cost.ts';
import type { Bench, Contender, Payload, Place } from '../contender.ts';
import type { Exchange, Handled } from './loops.ts';
import { startLoops } from './loops.ts';
import { exchangeIn, submitIn, tablesOf } from './postgres-statements.ts';
import { together } from './together.ts';

/**
 * What Postgres and its client give for the promises of a queue, by one statement an exchange and no library. The payload is stored,
 * and so is the outcome; a settlement holds only for the run's epoch, which counts attempts; a claim has a lease, and is stored under
 * its request so that it could be answered again; every commit is durable; ended runs and the errors of failed attempts are kept; an
 * id is used once; a waiting program is woken. There are no lanes, keys, retention or resends.
 */
export function barePostgres(settings: { readonly isStrict?: boolean } = {}): Contender {
  return { open: (place) => openBare(place, settings.isStrict === true) };
}

/** Its smallest calls, one after another. */
export async function openSmallCalls({ url, name: schema }: Place): Promise<SmallCalls> {
  const pool = await openPool(url, schema);
  const exchange = createExchange(pool, schema);
  let claimed: readonly Row[] = [];
  return {
    submit: () => submitTo(pool, schema, { payloads: ['{"n":1}'], wake: true }),
    exchange: async () => {
      claimed = await exchange(
        claimed.map((run) => ({ run })),
        1,
      );
    },
    close: () => pool.end(),
  };
}

/** One plan for each statement, by the indexes: without statistics the server would read whole tables. */
const SETTINGS = ['plan_cache_mode=force_generic_plan', 'jit=off']
  .concat(['seqscan', 'hashjoin', 'mergejoin', 'bitmapscan'].map((way) => `enable_${way}=off`))
  .map((setting) => `-c ${setting}`)
  .join(' ');

/** How long an idle loop waits for a notification: of a run that becomes due there is none. */
const POLL_MS = 50;
/** What others submit meanwhile may be committed in another order than that of its numbers. */
const LATE = 1_000;

/** A row of the reply to an exchange; one with nothing but the count where nothing was claimed. */
interface Row {
  readonly settled: string;
  readonly ord: string | null;
  readonly was_ready: boolean;
  readonly row_at: string;
  readonly epoch: string;
  readonly payload: string;
  readonly record: string | null;
}

async function openPool(url: string, schema: string): Promise<pg.Pool> {
  const pool = new pg.Pool({ connectionString: url, options: SETTINGS });
  pool.on('error', () => {});
  await pool.query(tablesOf(schema));
  return pool;
}

interface Submission {
  /** As JSON. */
  readonly payloads: readonly string[];
  readonly wake: boolean;
  readonly dueAt?: number | undefined;
}

function submitTo(pool: pg.Pool, schema: string, { payloads, wake, dueAt }: Submission): Promise<unknown> {
  const values = [payloads.map(() => randomUUID()), payloads, wake, dueAt ?? null];
  return pool.query({ name: 'submit', text: submitIn(schema), values });
}

async function openBare({ url, name: schema }: Place, isStrict: boolean): Promise<Bench> {
  const pool = await openPool(url, schema);
  const submit = together(
    (payloads: readonly string[]) => submitTo(pool, schema, { payloads, wake: true }),
    ({ length }) => length,
  );
  return {
    submit: (payload) => submit(JSON.stringify(payload)),
    submitBulk: (payloads: readonly Payload[], { dueAt } = {}) =>
      submitTo(pool, schema, { payloads: payloads.map((one) => JSON.stringify(one)), wake: false, dueAt }),
    work: async (work) => {
      const listener = await pool.connect();
      await listener.query(`listen ${schema}`);
      const engine = {
        createExchange: () => createExchange(pool, schema),
        wait: (signal: AbortSignal) => waitFor(listener, signal),
        isStrict,
      };
      const stop = startLoops(engine, work);
      return async () => {
        await stop();
        listener.release(true);
      };
    },
    count: async () => {
      const counts = `select count(*) filter (where state = 'w') as left, count(*) filter (where state = 'C') as completed from ${schema}.run`;
      const { rows } = await pool.query<{ left: string; completed: string }>(counts);
      return { left: Number(rows[0]?.left), completed: Number(rows[0]?.completed) };
    },
    close: () => pool.end(),
  };
}

/** Resolves at the next notification, after `POLL_MS`, or when the signal aborts. */
function waitFor(listener: pg.PoolClient, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      listener.off('notification', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, POLL_MS);
    listener.on('notification', end);
    signal.addEventListener('abort', end);
  });
}

function createExchange(pool: pg.Pool, schema: string): Exchange<Row> {
  const statement = { name: 'exchange', text: exchangeIn(schema) };
  let [low, earlier] = [0, ''];
  return async (handled, limit) => {
    const request = randomUUID();
    const values = [...settlementsOf(handled), Date.now(), low, limit, request, earlier];
    const { rows } = await pool.query<Row>({ ...statement, values });
    if (Number(rows[0]?.settled) !== handled.length) throw new Error('A settlement was refused.');
    earlier = request;
    const claimed = rows.filter(({ ord }) => ord !== null);
    for (const { ord, was_ready: wasReady } of claimed) if (wasReady) low = Math.max(low, Number(ord) - LATE);
    return claimed;
  };
}

function settlementsOf(handled: readonly Handled<Row>[]): unknown[] {
  return [
    handled.map(({ run }) => run.row_at),
    handled.map(({ run }) => run.epoch),
    handled.map(({ error }) => (error === undefined ? 'C' : 'w')),
    handled.map(({ run, error }) => (error === undefined ? run.record : writeRecord(run, error))),
  ];
}

/** The errors of all attempts until now, as every queue keeps them. */
function writeRecord({ record, epoch }: Row, error: unknown): string {
  const { errors } =
    record === null ? { errors: [] } : (JSON.parse(record) as { errors: readonly unknown[] }); // as it was written here
  const { name, message } = error as Error; // the harness throws nothing else
  return JSON.stringify({ at: Date.now(), errors: [...errors, { epoch: Number(epoch), name, message }] });
}
