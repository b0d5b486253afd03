import type { Matcher } from '@retry/core';
import { isRetryError, matchesError } from '@retry/core';
import { network, postgres } from '@retry/core/errors';
import type { PoolLike } from '../../wake/subscription.ts';
import { boundTurns, boundWaits } from '../lent/bounded-waits.ts';
import type { Session } from '../lent/with-lent.ts';
import { isReadCommitted, keepConnections, readCommitted, readSession, SESSION } from '../lent/with-lent.ts';
import type { NamingClient } from '../prepared.ts';
import { named, prepareStatements, sendAsChosen } from '../prepared.ts';
import type { SqlClient } from '../sql-client.ts';
import { createTurns, inTurns, turnsOf } from './turns.ts';

/**
 * Returns the user's client as calls use it: a pool or a client of `pg` gets named statements, which cost the server half the
 * work of others; anything else gets `query(text, values)`.
 *
 * 1. A client is asked once, by a named statement, whether it understands one: a wrapper of a pool may look like it and not.
 * 2. At most `connections` calls of a pool are under way: each connection prepares the statements anew, some ms of work.
 * 3. A single client gets one statement at a time, whichever broker sends it.
 * 4. A call waits for a connection for a bounded time, and for a transaction of `transaction()` on the only one.
 * 5. A pool whose sessions have another isolation level gets each call in a transaction of the level that claims need.
 */
export function useClient(client: SqlClient, connections: number): SqlClient {
  if (isPgPool(client)) return inTurns(usePool(boundWaits(client)), createTurns(connections));
  if (!isPgClient(client)) return boundTurns(client);
  return inTurns(
    sendAsChosen(() => chooseForClient(client)),
    turnsOf(client),
  );
}

/** Returns a client that uses a pool by rules 1 and 5 of {@link useClient}, however many of its calls are under way. */
export function usePool(pool: PgPool): SqlClient {
  return sendAsChosen(async () => {
    const { session, isNaming } = await ask(pool);
    if (!isReadCommitted(session)) return readCommitted(pool);
    const keeping = keepConnections(pool);
    return isNaming ? prepareStatements(keeping) : keeping;
  });
}

/**
 * On a connection of its own, a statement that was prepared stays prepared. Behind a pooler the first one that is not known
 * would end a transaction that the user has open on this client, so there none is named.
 */
async function chooseForClient(client: PgClient): Promise<SqlClient> {
  const { session, isNaming } = await ask(client);
  return isNaming && session.pid === client.processID ? prepareStatements(client) : client;
}

/** Errors of a server or a connection that may pass. */
const OUTAGES: readonly Matcher[] = [...postgres, ...network];

/** Asks for the session by a named statement, or by another where that one fails. */
async function ask(client: NamingClient): Promise<{ readonly session: Session; readonly isNaming: boolean }> {
  try {
    const session = readSession(await client.query(named(SESSION)));
    return { session, isNaming: session.level !== undefined };
  } catch (error) {
    if (isRetryError(error, 'POOL_EXHAUSTED')) throw error; // it was not sent
    if (OUTAGES.some((outage) => matchesError(outage, error))) throw error; // of the client it says nothing
    return { session: readSession(await client.query(SESSION)), isNaming: false };
  }
}

/** What of a pool of `pg` is used. */
export type PgPool = NamingClient & PoolLike & PoolCounts;

/** How many connections a pool of `pg` has, and how many calls wait for one. */
interface PoolCounts {
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** What of a client of `pg` is used: it knows which process of the server it talks to. */
interface PgClient extends NamingClient {
  readonly processID: unknown;
}

/** Whether a client is a pool of `pg`. */
export function isPgPool(client: SqlClient): client is PgPool {
  return ['totalCount', 'idleCount', 'waitingCount'].every((key) => key in client) && canConnect(client);
}

/** Whether a client is a single connection of `pg`, also one that a pool lent. */
export function isPgClient(client: SqlClient): client is PgClient {
  return 'processID' in client && canConnect(client);
}

function canConnect(client: SqlClient): boolean {
  return 'connect' in client && typeof client.connect === 'function';
}
