import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type {
  HeartbeatAnswer,
  HeartbeatConnection,
  HeartbeatRequest,
  OpenHeartbeats,
} from '@retry/core/broker';
import type { LeaseChunk } from './lease-table.ts';
import { readLeases } from './lease-table.ts';
import type { FromThread, LeaseAnswer, ThreadClosed, ToThread, WorkerLeases } from './lease-thread.ts';
import type { GuardedWorker } from './stand-in.ts';
import { StandIn } from './stand-in.ts';

/** The most runs that a line about an endless loop names. */
const MAX_NAMED = 5;

/** How often a stand-in looks whether the loop turns, for each lease, and at least once a second. */
const TICKS_PER_LEASE = 12;

/**
 * With a shorter lease, in ms, the thread connects when it starts. Half of a lease is left when a block is noticed, which is time enough
 * to load a driver on a busy machine. A driver takes 10 MB and 0.15 s, a connection a place on the server, and most workers need neither.
 */
const CONNECTS_AHEAD_BELOW_MS = 3_000;

const served = new Map<number, Served>();

parentPort?.on('message', (message: ToThread) => {
  switch (message.type) {
    case 'open':
      served.set(message.leases.worker, new Served(message.leases, message.chunks));
      break;
    case 'chunk':
      served.get(message.worker)?.add(message.chunk);
      break;
    case 'close':
      close(message.worker);
      break;
  }
});

/** A worker whose leases this thread renews. */
class Served implements GuardedWorker {
  readonly leaseMs: number;
  readonly maxBlockMs: number;
  readonly #leases: WorkerLeases;
  readonly #chunks: LeaseChunk[];
  readonly #standIn: StandIn;
  readonly #timer: ReturnType<typeof setInterval>;
  #connection: HeartbeatConnection | undefined;
  #accepted: Promise<HeartbeatConnection> | undefined;

  constructor(leases: WorkerLeases, chunks: readonly LeaseChunk[]) {
    this.leaseMs = leases.leaseMs;
    this.maxBlockMs = leases.maxBlockMs;
    this.#leases = leases;
    this.#chunks = [...chunks];
    this.#standIn = new StandIn(this);
    this.#timer = setInterval(() => this.#tick(), Math.min(leases.leaseMs / TICKS_PER_LEASE, 1_000));
  }

  /** Adds memory that has leases. */
  add(chunk: LeaseChunk): void {
    this.#chunks.push(chunk);
  }

  /** Resolves when it has no connection any more. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#connection?.close().catch(() => {}); // it was closed already
  }

  turns(): number {
    return Atomics.load(this.#leases.turns, 0);
  }

  leases(): readonly HeartbeatRequest[] {
    return readLeases(this.#chunks);
  }

  async heartbeat(
    ...beats: Parameters<HeartbeatConnection['heartbeat']>
  ): Promise<readonly HeartbeatAnswer[]> {
    return (await this.#connected()).heartbeat(...beats);
  }

  onAnswers(answers: readonly LeaseAnswer[]): void {
    send({ type: 'answers', worker: this.#leases.worker, answers });
  }

  onError(error: unknown): void {
    send({ type: 'error', worker: this.#leases.worker, reason: reasonOf(error) });
  }

  onGiveUp(runs: readonly HeartbeatRequest[]): void {
    writeSync(2, describe(runs, this.maxBlockMs)); // the loop, which would emit it, does not turn
  }

  #tick(): void {
    if (this.#leases.leaseMs < CONNECTS_AHEAD_BELOW_MS)
      this.#connected().catch((error: unknown) => this.#refuse(error));
    void this.#standIn.tick(performance.now());
  }

  /** Connects, unless it has. @returns the connection once it is accepted: what is sent before would be refused */
  #connected(): Promise<HeartbeatConnection> {
    this.#accepted ??= this.#connect();
    return this.#accepted;
  }

  async #connect(): Promise<HeartbeatConnection> {
    const connection = this.#load();
    this.#connection = connection;
    try {
      await connection.ready();
    } catch (error) {
      this.#accepted = undefined; // the server may have no place for it at the moment
      await connection.close().catch(() => {}); // what was never accepted
      throw error;
    }
    return connection;
  }

  #load(): HeartbeatConnection {
    try {
      return connect(this.#leases);
    } catch (error) {
      this.#refuse(error);
      throw error;
    }
  }

  #refuse(error: unknown): void {
    send({
      type: 'refused',
      worker: this.#leases.worker,
      reason: `The thread cannot connect: ${reasonOf(error)}`,
    });
  }
}

/**
 * Runs the broker's module, which is text: it needs no file beside it. Where there is no `navigator`, as in Node 20, `pg` makes a
 * `Response` to find out whether Cloudflare runs it, and that loads all of `fetch`: 3 to 5 MB of this thread.
 */
function connect({ source, options, driver }: WorkerLeases): HeartbeatConnection {
  Reflect.deleteProperty(globalThis, 'Response');
  const load = createRequire(driver);
  const loaded = { exports: {} as { readonly open: OpenHeartbeats<unknown, unknown> } }; // as the broker says
  new Function('module', 'exports', 'require', source)(loaded, loaded.exports, load);
  return loaded.exports.open(options, load(driver));
}

/** Serves a worker no longer. With the last one the thread can end, once it has no connection. */
function close(worker: number): void {
  const closing = served.get(worker)?.close();
  served.delete(worker);
  if (served.size === 0) void Promise.resolve(closing).then(() => send({ type: 'closed' }));
}

function send(message: FromThread | ThreadClosed): void {
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
