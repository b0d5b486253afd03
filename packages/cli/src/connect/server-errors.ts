import { isRetryError } from '@retry/core';
import { hideSecretsInError, secretsOf } from '@retry/core/broker/kit';
import { CliError } from '../errors.ts';
import type { Target } from './target.ts';

/** A server, as errors name it. */
interface NamedServer {
  /** The server as it is shown to people, without a password. */
  readonly shown: string;
  /** What to correct: `--url`, `REDIS_URL`, a file. */
  readonly source: string;
  /** What no error may show. */
  readonly secrets: readonly string[];
}

/** Returns what errors say of the server of a URL. */
export function serverOf({ shown, source, address }: Target): NamedServer {
  return { shown, source, secrets: secretsOf(address) };
}

/** Returns what errors say of the server behind a broker that a program or a configuration made. */
export function serverBehind(maker: string): NamedServer {
  return { shown: `The server of ${maker}`, source: maker, secrets: [] };
}

/**
 * Turns what the server or its driver throws into an error that names the server, without its password.
 *
 * @throws {CliError} `SERVER_REFUSED` for an error of the server itself, `SERVER_UNREACHABLE` for one of the connection
 */
export async function withErrorsOf<Outcome>(
  { shown, source, secrets }: NamedServer,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await work();
  } catch (thrown) {
    const error = hideSecretsInError(thrown, secrets);
    const isUnreached = isRetryError(error, 'POSTGRES_UNREACHABLE');
    if ((isRetryError(error) && !isUnreached) || isMistake(error)) throw error;
    const reason = reasonOf(isUnreached ? error.cause : error);
    if (isAnswer(error)) {
      const message = `${shown} refused this: ${reason}. Correct it on the server, or correct ${source}.`;
      throw new CliError('SERVER_REFUSED', message, { cause: error });
    }
    const message = `${shown} was not reached: ${reason}. Start it, or correct ${source}.`;
    throw new CliError('SERVER_UNREACHABLE', message, { cause: error });
  }
}

/** Whether it is a bug of ours rather than trouble with a server. */
function isMistake(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}

/** A SQLSTATE has a digit: the runtime has codes of five letters, such as EPIPE. */
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** How an error reply of Redis begins: `WRONGPASS …`, `ERR …`. */
const REDIS_REPLY = /^[A-Z][A-Z0-9]+ /;

/** Whether the server itself sent this error, or one that causes it. */
function isAnswer(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const hasState = 'code' in error && typeof error.code === 'string' && SQL_STATE.test(error.code);
  return hasState || REDIS_REPLY.test(error.message) || isAnswer(error.cause);
}

/** A connection that is refused at several addresses is reported as several errors, and without a message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
