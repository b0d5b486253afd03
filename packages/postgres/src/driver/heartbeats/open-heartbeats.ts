import type { OpenHeartbeats } from '@retry/core/broker';
import { heartbeat } from '../../verbs/heartbeat.ts';
import { createCall } from '../call.ts';
import type { PgDriver } from '../open-pool.ts';
import { openPool } from '../open-pool.ts';

/** What heartbeats need of the broker's options. */
export interface HeartbeatOptions {
  readonly url: string;
  readonly schema: string;
}

/** Opens a connection for heartbeats, in a thread that has no event loop of the user's. */
export const open: OpenHeartbeats<HeartbeatOptions, PgDriver> = ({ url, schema }, pg) => {
  // Connections that break are replaced: 0 besides the one that a pool has in any case.
  const pool = openPool(
    url,
    0,
    () => {},
    async () => pg,
  );
  const call = createCall(pool, schema);
  return {
    ready: async () => void (await pool.query('select 1')),
    heartbeat: (beats, leaseMs) => heartbeat({ call }, beats, leaseMs),
    close: () => pool.close(),
  };
};
