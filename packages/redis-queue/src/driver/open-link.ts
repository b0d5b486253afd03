import type { Policy } from '@retry/core';
import { computeDelay, definePolicy } from '@retry/core';
import { RedisBrokerError } from '../errors.ts';
import { inTime } from './in-time.ts';
import { ignoreErrors, linkClient } from './link-client.ts';
import type { RedisLink } from './redis-link.ts';
import { hideSecrets, secretsOf } from './secrets.ts';

/** Full jitter, so that a thousand workers do not come back to a restarted server in one instant. */
const RECONNECT: Policy = definePolicy({ backoff: { type: 'exponential', base: '50ms' }, maxDelay: '5s' });

/** A connection of our own, and what is to be known while it comes about. */
export interface OpeningLink {
  readonly link: RedisLink;
  /** Resolves when it is there. */
  readonly connected: Promise<unknown>;
}

/**
 * A connection of our own by `redis`, which reconnects by our own policy. What it throws and passes to `onError` shows
 * nothing of the password.
 *
 * @throws {RedisBrokerError} `NO_DRIVER`
 */
export async function openLink(url: string, onError: (error: unknown) => void): Promise<OpeningLink> {
  const { createClient } = await loadRedis();
  const secrets = secretsOf(url);
  let isConnected = false;
  const reconnectStrategy = (retries: number, cause: Error): number | false => {
    // At the start a refusal is an answer; later somebody may be changing the password.
    if (!isConnected && isRefusal(cause)) return false;
    return Math.max(1, computeDelay(RECONNECT, retries + 1, { random: Math.random }));
  };
  const client = createClient({ url, socket: { reconnectStrategy } });
  client.on('error', (error: unknown) => onError(hideSecrets(error, secrets)));
  const connected = client.connect().then(
    () => {
      isConnected = true;
    },
    (error: unknown) => {
      throw hideSecrets(error, secrets);
    },
  );
  const close = async (): Promise<void> => {
    // Only a server that is there lets a connection close in peace; whatever still waits after that is rejected.
    if (client.isReady) await inTime(client.close());
    ignoreErrors(() => client.destroy());
  };
  return { link: { ...linkClient(client), close }, connected };
}

/** The server does not let us in: another try would end the same. */
function isRefusal({ message }: Error): boolean {
  return /^(?:WRONGPASS|NOAUTH|NOPERM)\b/.test(message) || message.startsWith('ERR AUTH');
}

async function loadRedis(): Promise<typeof import('redis')> {
  try {
    return await import('redis');
  } catch (cause) {
    const message =
      'A broker that is given a url needs the package redis, which is not installed. Run npm install redis, or give a client.';
    throw new RedisBrokerError('NO_DRIVER', message, { cause });
  }
}
