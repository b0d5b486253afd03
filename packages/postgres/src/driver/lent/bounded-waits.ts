import { PostgresBrokerError } from '../../errors.ts';
import type { LentClient, PoolLike } from '../../wake/subscription.ts';
import type { NamedStatement, NamingClient } from '../prepared.ts';
import type { SqlClient } from '../sql-client.ts';
import { queryLent } from './with-lent.ts';

/** How long a call waits for a connection, in ms, unless the user's pool has a limit of its own. */
const WAIT_MS = 10_000;

/** What a pool of `pg` says about its connections. */
type CountingPool = NamingClient &
  PoolLike & { readonly idleCount: number; readonly waitingCount: number } & {
    readonly options?: { readonly max?: number; readonly connectionTimeoutMillis?: number };
  };

/**
 * Returns a pool whose calls wait for a connection for a bounded time. By itself a pool of `pg` waits forever, and a call that is made inside
 * of `transaction()` without its `tx` waits for a connection that is not given back before the call is answered.
 */
export function boundWaits(pool: CountingPool): CountingPool {
  const connect = (): Promise<LentClient> => (isFull(pool) ? connectInTime(pool) : pool.connect());
  return {
    get totalCount() {
      return pool.totalCount;
    },
    get idleCount() {
      return pool.idleCount;
    },
    get waitingCount() {
      return pool.waitingCount;
    },
    ...(pool.options && { options: pool.options }),
    connect,
    query: (statement: string | NamedStatement, values?: unknown[]) => {
      if (isFull(pool)) return queryLent({ connect }, statement, values);
      return typeof statement === 'string' ? pool.query(statement, values) : pool.query(statement);
    },
  };
}

function isFull({ totalCount, idleCount, options }: CountingPool): boolean {
  return idleCount === 0 && totalCount >= (options?.max ?? Infinity);
}

async function connectInTime(pool: CountingPool): Promise<LentClient> {
  const waitMs = pool.options?.connectionTimeoutMillis || WAIT_MS; // 0 is pg's word for no limit
  const connecting = pool.connect();
  const connection = await inTime(connecting, waitMs).catch((error: unknown) => {
    throw isPoolTimeout(error) ? exhausted(pool, waitMs) : error;
  });
  if (connection !== undefined) return connection;
  connecting.then(
    ({ release }) => release?.(),
    () => {}, // it would have failed
  );
  throw exhausted(pool, waitMs);
}

/** Resolves with the work, or after `ms` milliseconds, and keeps no process alive. */
function inTime<Result>(work: Promise<Result>, ms: number): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined).unref();
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function isPoolTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}

const CURE = 'Give { tx } to every call inside of transaction(), or raise the max of the pool.';

function exhausted(pool: CountingPool, waitMs: number): PostgresBrokerError {
  const max = pool.options?.max;
  const lent = `${countTransactions(pool)} of them lent to transaction() in this process`;
  const all =
    max === 1 ? 'the only connection of the pool was not' : `none of the ${max} connections of the pool was`;
  const message = `${all} free for ${waitMs} ms, ${lent}: this call was not sent. ${CURE}`;
  return new PostgresBrokerError('POOL_EXHAUSTED', message);
}

/**
 * Returns a client with one connection, as PGlite, whose calls wait for a transaction of `transaction()` for a bounded time. By itself
 * it waits forever, and a call inside of the transaction would be what the transaction waits for.
 */
export function boundTurns(client: SqlClient): SqlClient {
  return {
    query: async (text, values) => {
      await untilNoTransaction(client);
      return client.query(text, values);
    },
  };
}

async function untilNoTransaction(client: SqlClient): Promise<void> {
  const until = performance.now() + WAIT_MS;
  while (countTransactions(client) > 0) {
    const { ended, cancel } = nextEnd(client);
    await inTime(ended, until - performance.now());
    cancel();
    if (performance.now() >= until) throw busy();
  }
}

function busy(): PostgresBrokerError {
  const message = `a transaction() on the only connection of the client lasted for ${WAIT_MS} ms: this call was not sent. Give { tx } to every call inside of it.`;
  return new PostgresBrokerError('POOL_EXHAUSTED', message);
}

/** How many transactions of `transaction()` are open on each client, and what is called when one of them ends. */
interface OpenTransactions {
  count: number;
  readonly onEnd: Set<() => void>;
}

const transactions = new WeakMap<object, OpenTransactions>();

/** Counts a transaction on this client while `run` lasts. */
export async function countTransaction<Result>(client: object, run: () => Promise<Result>): Promise<Result> {
  const open = transactions.get(client) ?? { count: 0, onEnd: new Set() };
  transactions.set(client, open);
  open.count += 1;
  try {
    return await run();
  } finally {
    open.count -= 1;
    for (const end of open.onEnd) end();
  }
}

/** Returns how many transactions of `transaction()` are open on this client. */
function countTransactions(client: object): number {
  return transactions.get(client)?.count ?? 0;
}

/** Resolves when a transaction of `transaction()` on this client ends. @returns also what ends the wait before */
function nextEnd(client: object): { readonly ended: Promise<void>; readonly cancel: () => void } {
  let cancel = (): void => {};
  const ended = new Promise<void>((resolve) => {
    const onEnd = transactions.get(client)?.onEnd;
    onEnd?.add(resolve);
    cancel = () => void onEnd?.delete(resolve);
  });
  return { ended: ended.finally(cancel), cancel };
}
