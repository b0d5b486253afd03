import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type { HeartbeatConnection, HeartbeatRequest, OpenHeartbeats } from '@retry/core/broker';
import type { FromThread, ToThread, WorkerLeases } from './messages.ts';
import { StandIn } from './stand-in.ts';

/** The most runs that a line about an endless loop names. */
const MAX_NAMED = 5;

/** How often a stand-in looks whether the loop turns, for each lease, and at least once a second. */
const TICKS_PER_LEASE = 12;

interface Served {
  readonly standIn: StandIn;
  readonly connection: HeartbeatConnection;
  readonly timer: ReturnType<typeof setInterval>;
}

const served = new Map<number, Served>();

parentPort?.on('message', (message: ToThread) => {
  switch (message.type) {
    case 'open':
      open(message.leases);
      break;
    case 'change':
      served.get(message.worker)?.standIn.change(message.ended, message.claimed);
      break;
    case 'close':
      close(message.worker);
      break;
  }
});

function open(leases: WorkerLeases): void {
  const { worker, turns, leaseMs, maxBlockMs } = leases;
  const connection = connect(leases);
  const standIn = new StandIn({
    leaseMs,
    maxBlockMs,
    turns: () => Atomics.load(turns, 0),
    heartbeat: connection.heartbeat,
    onAnswers: (answers) => send({ type: 'answers', worker, answers }),
    onError: (error) => send({ type: 'error', worker, reason: reasonOf(error) }),
    onGiveUp: (runs) => writeSync(2, describe(runs, maxBlockMs)), // the loop, which would emit it, does not turn
  });
  const timer = setInterval(
    () => void standIn.tick(performance.now()),
    Math.min(leaseMs / TICKS_PER_LEASE, 1_000),
  );
  served.set(worker, { standIn, connection, timer });
  connection.ready().then(
    () => send({ type: 'ready', worker }),
    (error: unknown) => send({ type: 'refused', worker, reason: reasonOf(error) }),
  );
}

/** Runs the broker's module, which is text: it needs no file beside it. */
function connect({ source, options, driver }: WorkerLeases): HeartbeatConnection {
  const load = createRequire(driver);
  const loaded = { exports: {} as { readonly open: OpenHeartbeats<unknown, unknown> } }; // as the broker says
  new Function('module', 'exports', 'require', source)(loaded, loaded.exports, load);
  return loaded.exports.open(options, load(driver));
}

/** Ends with the last worker. */
function close(worker: number): void {
  const closed = served.get(worker);
  served.delete(worker);
  clearInterval(closed?.timer);
  const closing = closed?.connection.close().catch(() => {}); // it was closed already
  if (served.size === 0) void Promise.resolve(closing).then(() => served.size === 0 && parentPort?.close());
}

function send(message: FromThread): void {
  parentPort?.postMessage(message);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

function describe(runs: readonly HeartbeatRequest[], maxBlockMs: number): string {
  const named = runs.slice(0, MAX_NAMED).map(({ id, epoch }) => `${id} (epoch ${epoch})`);
  const more = runs.length > MAX_NAMED ? ` and ${runs.length - MAX_NAMED} more` : '';
  return `retry worker: the event loop has been blocked for ${maxBlockMs} ms (maxBlock). Leases are no longer renewed, so other workers claim ${named.join(', ')}${more}.\n`;
}
