import { RedisBrokerError } from '../errors.ts';
import type { RedisClient } from './redis-client.ts';
import { withoutSecrets } from './secrets.ts';

/** How long the start of a broker waits for a server that may not be there, in ms. */
const PATIENCE_MS = 4_500;

/** The error that a connection has had last. */
export interface LastError {
  readonly note: (error: unknown) => void;
  readonly latest: () => unknown;
}

/** Nothing went wrong yet. */
export function createLastError(): LastError {
  let latest: unknown;
  return {
    note: (error) => {
      latest = error;
    },
    latest: () => latest,
  };
}

/**
 * The outcome of the start, unless it takes too long: clients keep trying for ever, and report it to no caller.
 *
 * @throws {RedisBrokerError} `REDIS_UNREACHABLE` with the last error of the connection as its cause
 */
export async function startInTime<Outcome>(start: Promise<Outcome>, lastError: LastError): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unreachable(lastError.latest())), PATIENCE_MS);
  });
  return Promise.race([start, patience]).finally(() => clearTimeout(timer));
}

/** Notes the errors of a client that is not ours while `work` lasts. The commands that it begins with carry its password. */
export async function noteErrorsOf<Outcome>(
  client: RedisClient,
  { note }: LastError,
  work: Promise<Outcome>,
): Promise<Outcome> {
  const listener = (error: unknown): void => note(withoutSecrets(error, []));
  const emitter = client as Partial<Pick<NodeJS.EventEmitter, 'on' | 'off'>>; // both kinds of clients are emitters
  emitter.on?.('error', listener);
  try {
    return await work;
  } catch (error) {
    throw hasCredentials(error) ? withoutSecrets(error, []) : error;
  } finally {
    emitter.off?.('error', listener);
  }
}

/** `ioredis` puts the command that was refused into its error. */
function hasCredentials(error: unknown): boolean {
  const command =
    typeof error === 'object' && error !== null && 'command' in error ? error.command : undefined;
  const name =
    typeof command === 'object' && command !== null && 'name' in command ? command.name : undefined;
  return /^(?:auth|hello)$/i.test(String(name));
}

function unreachable(cause: unknown): RedisBrokerError {
  const reason = cause instanceof Error ? cause.message || String(cause) : 'it does not answer';
  const message = `the Redis server was not reached within ${PATIENCE_MS} ms: ${reason}. Start it, or correct the url or the client.`;
  return new RedisBrokerError('REDIS_UNREACHABLE', message, { cause });
}
