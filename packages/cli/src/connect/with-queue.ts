import type { Broker } from '@retry/core/broker';
import type { Queue } from '@retry/worker';
import { createQueue } from '@retry/worker';
import type { Input, Report } from '../report.ts';
import { createWarnings } from '../terminal/create-warnings.ts';
import type { ConnectOptions } from './connect-options.ts';
import { findTarget } from './find-target.ts';
import type { OpenBroker } from './open-broker.ts';
import { CONNECT_TIMEOUT_MS, openBroker } from './open-broker.ts';
import { refuseAbsent } from './refuse-absent.ts';
import { serverBehind, serverOf, withErrorsOf } from './server-errors.ts';
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

/**
 * Connects to the queue, does the work, and closes what was opened.
 *
 * @throws {CliError} `SERVER_UNREACHABLE` when the server does not answer or breaks off, `SERVER_REFUSED` when it answers an error
 * @throws {CliError} `NO_SUCH_QUEUE` for a prefix of which the server has nothing; `NO_CONNECTION`, `NO_PACKAGE`, `WRONG_CONFIG`
 */
export async function withQueue<Outcome>(
  input: Input<ConnectOptions>,
  work: (connected: Connected) => Promise<Outcome>,
): Promise<Outcome> {
  const { options, environment } = input;
  const { broker, shown = 'the given broker' } = environment;
  if (broker !== undefined) {
    const connected = { queue: openQueue(broker, input), broker, shown };
    return withErrorsOf(serverBehind(shown), () => work(connected));
  }
  const found = await findTarget(options, environment);
  if ('broker' in found) {
    const { broker: made, shown: maker } = found;
    const open = { broker: made, close: () => made.close() };
    return withErrorsOf(serverBehind(maker), () =>
      withOpen(open, () => work({ queue: openQueue(made, input), broker: made, shown: maker })),
    );
  }
  const { target } = found;
  return withErrorsOf(serverOf(target), async () => {
    const open = await openBroker(target, environment.cwd);
    return withOpen(open, async () => {
      await refuseAbsent(target, open.broker);
      const queue = openQueue(open.broker, input);
      return work({ queue, broker: open.broker, target, shown: target.shown });
    });
  });
}

/**
 * Connects to the queue for work that changes it step by step. Where it fails when a part is done, the report has that part, and the failure.
 *
 * @param work - notes after each step what is done
 * @throws {CliError} as `withQueue`, where nothing was done
 */
export async function withQueueInSteps(
  input: Input<ConnectOptions>,
  work: (connected: Connected, note: (done: Report) => void) => Promise<Report>,
): Promise<Report> {
  let done: Report | undefined;
  try {
    return await withQueue(input, (connected) =>
      work(connected, (report) => {
        done = report;
      }),
    );
  } catch (failure) {
    if (done === undefined) throw failure;
    return { ...done, failure };
  }
}

/** Returns a queue that says what fails while it carries an operation on; not with `--json`, where standard error has one error at most. */
function openQueue(broker: Broker, { environment, options }: Input<ConnectOptions>): Queue {
  const queue = createQueue({ broker });
  const { warn } = createWarnings(environment);
  queue.on('error', ({ error, doing }) => {
    if (options.json !== true) warn(error, doing);
  });
  return queue;
}

/** Waits until the broker has answered, does the work, and closes the broker. */
async function withOpen<Outcome>(open: OpenBroker, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    await ready(open);
    return await work();
  } finally {
    await closeSoon(open);
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
