import { isRetryError } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import { hideSecretsInError, secretsOf } from '@retry/core/broker/kit';
import type { Queue } from '@retry/worker';
import { createQueue } from '@retry/worker';
import type { CliEnvironment } from '../environment.ts';
import { CliError } from '../errors.ts';
import { createWarnings } from '../terminal/create-warnings.ts';
import type { ConnectOptions } from './connect-options.ts';
import { findTarget } from './find-target.ts';
import type { OpenBroker } from './open-broker.ts';
import { CONNECT_TIMEOUT_MS, openBroker } from './open-broker.ts';
import { refuseAbsent } from './refuse-absent.ts';
import type { Target } from './target.ts';

/** A queue that is connected. */
export interface Connected {
  readonly queue: Queue;
  readonly broker: Broker;
  /** Absent: the broker was made by a configuration or a program. */
  readonly target?: Target;
  /** The server, for people, without a password. */
  readonly shown: string;
}

/** Who asks. */
export interface Asking {
  readonly options: ConnectOptions;
  readonly environment: CliEnvironment;
}

/**
 * Connects to the queue, does the work, and closes what was opened.
 *
 * @throws {CliError} `SERVER_UNREACHABLE` when the server does not answer, refuses the credentials, or breaks off
 * @throws {CliError} `NO_SUCH_QUEUE` for a prefix of which the server has nothing; `NO_CONNECTION`, `NO_PACKAGE`, `WRONG_CONFIG`
 */
export async function withQueue<Outcome>(
  { options, environment }: Asking,
  work: (connected: Connected) => Promise<Outcome>,
): Promise<Outcome> {
  const { broker, shown = 'the given broker' } = environment;
  if (broker !== undefined) return work({ queue: openQueue(broker, environment), broker, shown });
  const found = await findTarget(options, environment);
  if ('broker' in found) return withMade(found, environment, work);
  const { target } = found;
  return withErrorsOf(target, async () => {
    const open = await openBroker(target, environment.cwd);
    try {
      await ready(open);
      await refuseAbsent(target, open.broker);
      const queue = openQueue(open.broker, environment);
      return await work({ queue, broker: open.broker, target, shown: target.shown });
    } finally {
      await closeSoon(open);
    }
  });
}

/** Returns a queue that says what fails while it carries an operation on. */
function openQueue(broker: Broker, environment: CliEnvironment): Queue {
  const queue = createQueue({ broker });
  const { warn } = createWarnings(environment);
  queue.on('error', ({ error, doing }) => warn(error, doing));
  return queue;
}

async function withMade<Outcome>(
  { broker, shown }: { readonly broker: Broker; readonly shown: string },
  environment: CliEnvironment,
  work: (connected: Connected) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await work({ queue: openQueue(broker, environment), broker, shown });
  } finally {
    await broker.close().catch(() => {});
  }
}

/** Turns what the server or its driver throws into an error that names the server, without its password. */
export async function withErrorsOf<Outcome>(
  { address, shown, source }: Target,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await work();
  } catch (thrown) {
    const error = hideSecretsInError(thrown, secretsOf(address));
    const isUnreached = isRetryError(error, 'POSTGRES_UNREACHABLE');
    if ((isRetryError(error) && !isUnreached) || isMistake(error)) throw error;
    const reason = reasonOf(isUnreached ? error.cause : error);
    const message = `${shown} was not reached: ${reason}. Start it, or correct ${source}.`;
    throw new CliError('SERVER_UNREACHABLE', message, { cause: error });
  }
}

/** How long closing may take: it waits for a server that does not answer. */
const CLOSE_MS = 1_000;

/** Closes a broker; what went wrong before is what counts. */
async function closeSoon({ close }: OpenBroker): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS);
  });
  await Promise.race([close().catch(() => {}), late]);
  clearTimeout(timer);
}

async function ready({ broker, failed }: OpenBroker): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const late = new Error(`it did not answer within ${CONNECT_TIMEOUT_MS} ms`);
    timer = setTimeout(() => reject(late), CONNECT_TIMEOUT_MS);
  });
  // `ready` belongs to brokers of servers; every broker answers this.
  await Promise.race([broker.exchange({}), failed ?? timeout, timeout]).finally(() => clearTimeout(timer));
}

/** Whether it is a bug of ours rather than trouble with a server. */
function isMistake(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}

/** A connection that is refused at several addresses is reported as several errors, and without a message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
