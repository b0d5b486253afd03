import { hideSecretsInError, secretsOf } from '@retry/core/broker/kit';
import { PostgresBrokerError } from '../errors.ts';
import type { PoolLike } from '../wake/subscription.ts';
import type { NamingClient } from './prepared.ts';
import { prepareStatements } from './prepared.ts';
import { isReadCommitted, readCommitted, readSession, SESSION } from './read-committed.ts';
import { sendAsChosen } from './send-as-chosen.ts';
import type { SqlClient } from './sql-client.ts';

/** The part of the driver `pg` that is used. */
export type PgDriver = Pick<typeof import('pg'), 'Pool'>;

/**
 * Opens a pool of the driver `pg` when it is first needed. No error of it shows the password of the URL.
 *
 * @param connections - how many calls it serves at the same time, besides a connection for notifications
 * @param onError - called with errors of connections that no call was using
 */
export function openPool(
  url: string,
  connections: number,
  onError: (error: unknown) => void = () => {},
  load: () => Promise<PgDriver> = loadPg,
): SqlClient & PoolLike & { readonly close: () => Promise<void> } {
  const secrets = secretsOf(url);
  const safely = <Answer>(answer: () => Promise<Answer>): Promise<Answer> =>
    answer().catch((error: unknown) => {
      throw hideSecretsInError(error, secrets);
    });
  let opening: Promise<OwnPool> | undefined;
  const open = (): Promise<OwnPool> => {
    opening ??= load().then((pg) =>
      createPool(pg, { url, connections }, (error) => onError(hideSecretsInError(error, secrets))),
    );
    return opening;
  };
  const client = sendAsChosen(async () => chooseSender(await open()));
  return {
    totalCount: connections,
    query: (text, values) => safely(() => client.query(text, values)),
    connect: () => safely(async () => (await open()).connect()),
    close: async () => {
      if (opening !== undefined) await (await opening).end();
    },
  };
}

/** Chooses how statements are sent: a role or a database may have another default isolation level than claims need. */
async function chooseSender(pool: OwnPool): Promise<SqlClient> {
  const session = readSession(await pool.query(SESSION));
  return isReadCommitted(session) ? prepareStatements(pool) : readCommitted(pool);
}

/** The part of `pg.Pool` that is used. */
interface OwnPool extends PoolLike, NamingClient {
  readonly end: () => Promise<void>;
  readonly on: (event: 'error', listener: (error: Error) => void) => unknown;
}

function createPool(
  pg: PgDriver,
  { url, connections }: { readonly url: string; readonly connections: number },
  onError: (error: Error) => void,
): OwnPool {
  // One more than the calls need, for notifications.
  const pool: OwnPool = new pg.Pool({ connectionString: url, max: connections + 1, keepAlive: true });
  // A connection that breaks while no call uses it is replaced when it is needed.
  pool.on('error', onError);
  return pool;
}

async function loadPg(): Promise<PgDriver> {
  try {
    return (await import('pg')).default;
  } catch (cause) {
    const message =
      'A url needs the package pg, which is not installed. Run npm install pg, or pass a client.';
    throw new PostgresBrokerError('NO_DRIVER', message, { cause });
  }
}
