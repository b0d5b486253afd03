import type { Broker } from '@retry/core/broker';
import { heartbeat } from '../../verbs/heartbeat.ts';
import type { Call } from '../call.ts';
import { createCall } from '../call.ts';
import type { Database } from '../database.ts';
import { withinTimeout } from '../open-pool.ts';
import { isRefusal } from '../refusal.ts';
import type { SqlClient } from '../sql-client.ts';
import type { OwnPool } from '../users-client/own-pool.ts';
import { openOwnPool } from '../users-client/own-pool.ts';
import { usePool } from '../users-client/users-client.ts';

/** Heartbeats over a connection that handlers cannot take. */
export interface OwnHeartbeats {
  readonly heartbeat: Broker['heartbeat'];
  readonly close: () => Promise<void>;
}

interface OwnHeartbeatsPort {
  /** The client that the broker's other calls use. */
  readonly client: SqlClient;
  readonly database: Pick<Database, 'call'>;
  readonly schema: string;
  /** Called when heartbeats went over the user's pool, because no other connection came about. */
  readonly onError: (error: unknown) => void;
}

/** How long a connection may take to come about, in ms: a sixth of a lease, because heartbeats are sent three times a lease. */
const connectTimeoutOf = (leaseMs: number): number => clamp(leaseMs / 6, [500, 10_000]);

/** After how long without a heartbeat the connection is closed, in ms. */
const idleTimeoutOf = (leaseMs: number): number => clamp(leaseMs, [10_000, 600_000]);

const clamp = (value: number, [least, most]: readonly [number, number]): number =>
  Math.round(Math.min(Math.max(value, least), most));

/**
 * Sends heartbeats beside a user's pool of `pg`, whose connections handlers may take for longer than a lease: over a connection of the
 * pool's options, or over the pool where that one fails, as on a server that has no place for it.
 */
export function openOwnHeartbeats({ client, database, schema, onError }: OwnHeartbeatsPort): OwnHeartbeats {
  let own: { readonly pool: OwnPool; readonly call: Call } | undefined;
  let isClosed = false;
  const open = (leaseMs: number): Call | undefined => {
    if (isClosed) return undefined;
    if (own !== undefined) return own.call;
    const connectTimeoutMs = connectTimeoutOf(leaseMs);
    const pool = openOwnPool(client, { connectTimeoutMs, idleTimeoutMs: idleTimeoutOf(leaseMs) });
    if (pool === undefined) return undefined;
    own = { pool, call: createCall(usePool(pool), schema) };
    return own.call;
  };
  return {
    heartbeat: async (beats, leaseMs) => {
      const call = open(leaseMs);
      if (call === undefined || beats.length === 0) return heartbeat(database, beats, leaseMs);
      try {
        return await heartbeat({ call }, beats, leaseMs);
      } catch (error) {
        if (isRefusal(error)) throw error;
        const answers = await heartbeat(database, beats, leaseMs);
        onError(error);
        return answers;
      }
    },
    close: async () => {
      isClosed = true;
      if (own !== undefined) await withinTimeout(own.pool.end());
    },
  };
}
