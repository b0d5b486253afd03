import type { OpenHeartbeats } from '@retry/core/broker';
import { hideSecretsInError, secretsOf } from '@retry/core/broker/kit';
import { isReadOnly } from '../../errors.ts';
import { askEach } from '../../partitions/spread.ts';
import type { Script } from '../../scripts/create-script.ts';
import type { Keys } from '../../store/keys.ts';
import { createKeys } from '../../store/keys.ts';
import { heartbeatBy } from '../../verbs/heartbeat.ts';
import { createEnd, leaveServer, linkClient } from '../link-client.ts';

/** What heartbeats need: of the broker's options, and the script, whose parts need not be composed again. */
export interface HeartbeatOptions {
  readonly url: string;
  readonly prefix: string;
  readonly partitions: number;
  readonly script: Script;
}

/** The longest wait before the connection is opened again, in ms: no more than a part of a lease. */
const MAX_RECONNECT_MS = 500;

/** Opens a connection for heartbeats, to be used in a thread other than the user's. */
export const open: OpenHeartbeats<HeartbeatOptions, Pick<typeof import('redis'), 'createClient'>> = (
  { url, prefix, partitions, script },
  { createClient },
) => {
  const reconnectStrategy = (retries: number): number => Math.min(2 ** retries * 10, MAX_RECONNECT_MS);
  const client = createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy } });
  client.on('error', () => {}); // a heartbeat that is sent meanwhile rejects
  const connected = client.connect();
  connected.catch(() => {}); // `ready` rejects
  const end = createEnd(client, connected);
  const link = linkClient(client);
  const keys = Array.from({ length: partitions }, (_, index) => createKeys(prefix, index));
  return {
    ready: async () => {
      await connected.catch((error: unknown) => {
        throw hideSecretsInError(error, secretsOf(url));
      });
    },
    heartbeat: (beats, leaseMs) =>
      askEach(
        beats,
        { partitions, idOf: ({ id }) => id },
        (at, some) => heartbeatBy(script, { link, keys: keys[at] as Keys }, { leases: some, leaseMs }), // one of its partitions
      ).catch((error: unknown) => {
        if (isReadOnly(error)) leaveServer(client);
        throw error;
      }),
    close: async () => end(),
  };
};
