import { PostgresBrokerError } from './errors.ts';
import type { PoolLike } from './listener.ts';
import { prepareStatements } from './prepared.ts';
import type { SqlClient, SqlResult } from './sql-client.ts';

/** A pool that is opened when it is first needed, by the driver `pg`. */
export function openPool(
  url: string,
  connections: number,
): SqlClient & PoolLike & { readonly close: () => Promise<void> } {
  let opening: Promise<OwnPool> | undefined;
  let prepared: SqlClient | undefined;
  const open = (): Promise<OwnPool> => {
    opening ??= createPool(url, connections);
    return opening;
  };
  return {
    totalCount: connections,
    query: async (text, values) => {
      prepared ??= prepareStatements(await open());
      return prepared.query(text, values);
    },
    connect: async () => (await open()).connect(),
    close: async () => {
      if (opening !== undefined) await (await opening).end();
    },
  };
}

/** What of `pg.Pool` is used. */
interface OwnPool extends PoolLike {
  readonly query: {
    (text: string, values?: unknown[]): Promise<SqlResult>;
    (statement: {
      readonly name: string;
      readonly text: string;
      readonly values: unknown[];
    }): Promise<SqlResult>;
  };
  readonly end: () => Promise<void>;
  readonly on: (event: 'error', listener: (error: Error) => void) => unknown;
}

async function createPool(url: string, connections: number): Promise<OwnPool> {
  const { default: pg } = await loadPg();
  // One more than the calls need, to listen on.
  const pool: OwnPool = new pg.Pool({ connectionString: url, max: connections + 1, keepAlive: true });
  // A connection that breaks while nobody uses it is replaced when it is needed.
  pool.on('error', () => {});
  return pool;
}

async function loadPg(): Promise<typeof import('pg')> {
  try {
    return await import('pg');
  } catch (cause) {
    const message =
      'A url needs the package pg, which is not installed. Run npm install pg, or give a client.';
    throw new PostgresBrokerError('NO_DRIVER', message, { cause });
  }
}
