import type { Policy } from '@retry/core';
import { computeDelay, definePolicy } from '@retry/core';
import { hideSecretsInError, secretsOf } from '@retry/core/broker/kit';
import { RedisBrokerError } from '../errors.ts';
import type { Leaving } from './link-client.ts';
import { createEnd, leaveServer, linkClient } from './link-client.ts';
import type { RedisLink } from './redis-link.ts';

/** Full jitter, so that a thousand workers do not reconnect to a restarted server at the same time. */
const RECONNECT: Policy = definePolicy({ backoff: { type: 'exponential', base: '50ms' }, maxDelay: '2s' });

/** A connection of our own that is opening. */
interface OpeningLink {
  readonly link: RedisLink;
  /** Resolves when it is open. */
  readonly connected: Promise<unknown>;
}

/**
 * Opens a connection of our own by `redis`, which reconnects by our own policy. Its errors do not contain the password.
 *
 * @throws {RedisBrokerError} `NO_DRIVER`
 */
export async function openLink(url: string, onError: (error: unknown) => void): Promise<OpeningLink> {
  const { createClient } = await loadRedis();
  const secrets = secretsOf(url);
  let isConnected = false;
  const reconnectStrategy = (retries: number, cause: Error): number | false => {
    // At the start a refusal is final; later an operator may be changing the password.
    if (!isConnected && isRefusal(cause)) return false;
    return Math.max(1, computeDelay(RECONNECT, retries + 1, { random: Math.random }));
  };
  const client = createClient({ url, socket: { reconnectStrategy } });
  client.on('error', (error: unknown) => onError(hideSecretsInError(error, secrets)));
  const connected = client.connect().then(
    () => {
      isConnected = true;
    },
    (error: unknown) => {
      throw hideSecretsInError(error, secrets);
    },
  );
  const end = createEnd(client, connected);
  const close = async (): Promise<void> => {
    // A connection that is ready is closed in order; commands that still wait after that are rejected.
    if (client.isReady) await withinTimeout(client.close());
    end();
  };
  const leave = leaveBy(client);
  return { link: { ...linkClient(client), close, leave }, connected };
}

/** How often the connections are opened again at most, in ms: until its name leads elsewhere, a replica refuses every call. */
const MIN_STAY_MS = 1_000;

interface OwnClient extends Leaving {
  readonly duplicate: () => OwnClient;
  readonly once: (event: 'end', listener: () => void) => unknown;
}

/** Returns `leave` of a link, for this client and those that it is duplicated to. */
function leaveBy(client: OwnClient): () => void {
  const connections = new Set<Leaving>([client]);
  const duplicate = client.duplicate.bind(client);
  const tracked = (): OwnClient => {
    const other = duplicate();
    connections.add(other);
    other.once('end', () => connections.delete(other));
    return other;
  };
  Object.assign(client, { duplicate: tracked });
  let leftAt = -Infinity;
  return () => {
    const now = performance.now();
    if (now - leftAt < MIN_STAY_MS) return;
    leftAt = now;
    for (const connection of connections) leaveServer(connection);
  };
}

/** Whether the server refuses the credentials: another try would fail, too. */
function isRefusal({ message }: Error): boolean {
  return /^(?:WRONGPASS|NOAUTH|NOPERM)\b/.test(message) || message.startsWith('ERR AUTH');
}

async function loadRedis(): Promise<typeof import('redis')> {
  try {
    return await import('redis');
  } catch (cause) {
    const message =
      'A url needs the package redis, which is not installed. Run npm install redis, or pass a client.';
    throw new RedisBrokerError('NO_DRIVER', message, { cause });
  }
}

/** How long closing waits for answers that may never come, in ms. */
const CLOSE_TIMEOUT_MS = 5_000;

/** Resolves when the work has ended, or after `CLOSE_TIMEOUT_MS`. */
export async function withinTimeout(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
  });
  await Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
