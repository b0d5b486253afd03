import type { HeartbeatAnswer, HeartbeatRequest } from '@retry/core/broker';
import { systemClock } from '../clock.ts';
import type { WorkerEmitter } from '../events.ts';
import type { WorkerSettings } from '../options.ts';
import type { Execution } from '../run/execution.ts';
import { sleep } from '../sleep.ts';
import { warnRarely } from '../warn-rarely.ts';
import type { Renewal } from './choose-renewal.ts';
import { chooseRenewal } from './choose-renewal.ts';
import { leaseThread } from './lease-thread.ts';
import { LoopWatch } from './loop-watch.ts';
import type { FromThread } from './messages.ts';

/** How long a worker waits for its thread before it claims, at most, in ms: a busy machine takes seconds to start one. */
const MAX_START_MS = 5_000;

/** How many ended leases are noted before the thread is sent them. */
const MAX_ENDED = 1_000;

interface GuardPorts {
  readonly emitter: WorkerEmitter;
  /** All claimed runs of the worker. */
  readonly executions: () => Iterable<Execution>;
  readonly onAnswer: (execution: Execution, answer: HeartbeatAnswer) => void;
}

/** One warning a process and minute, whatever the number of workers. */
const warn = warnRarely(systemClock);

let workers = 0;

/** Keeps the leases of a worker while its event loop is blocked, and tells which runs blocked it. */
export class LeaseGuard {
  readonly #settings: WorkerSettings;
  readonly #ports: GuardPorts;
  readonly #watch: LoopWatch | undefined;
  readonly #worker: number;
  #renewal: Renewal;
  #ended: HeartbeatRequest[] = [];
  readonly #guarded = new AbortController();

  constructor(settings: WorkerSettings, ports: GuardPorts) {
    this.#settings = settings;
    this.#ports = ports;
    workers += 1;
    this.#worker = workers;
    this.#renewal = chooseRenewal(settings);
    // Another clock than the runtime's says nothing about the event loop.
    if (settings.clock === systemClock) this.#watch = new LoopWatch({ ...ports, leaseMs: settings.leaseMs });
  }

  /** By whom leases are renewed while the event loop is blocked. */
  get by(): Renewal['by'] {
    return this.#renewal.by;
  }

  /** Begins. A run that is claimed before `guarded` resolves may block the event loop while the thread cannot renew yet. */
  open(): void {
    this.#watch?.open();
    if (this.#renewal.by === 'thread' && this.#watch !== undefined) this.#join(this.#renewal, this.#watch);
    else if (this.#renewal.by === 'loop') this.#fallBack(this.#renewal);
  }

  /** Resolves when the thread has connected or never will, after 5 s, or when the signal aborts; `undefined` without a thread. */
  guarded(signal: AbortSignal): Promise<void> | undefined {
    if (this.#renewal.by === 'loop') return undefined;
    const either = AbortSignal.any([signal, this.#guarded.signal]);
    return sleep(this.#settings.clock, MAX_START_MS, either);
  }

  /** Ends; the thread with it, if no other worker has it. */
  close(): void {
    this.#watch?.close();
    leaseThread.leave(this.#worker);
  }

  /** Notes claimed runs, before a handler of theirs is called. */
  noteClaimed(executions: readonly Execution[]): void {
    if (this.#renewal.by === 'thread' && executions.length > 0) this.#send(executions.map(leaseOf));
  }

  /** Notes that a run has ended. */
  noteEnd(execution: Execution): void {
    this.#watch?.noteEnd(execution);
    if (this.#renewal.by !== 'thread') return;
    this.#ended.push(leaseOf(execution));
    if (this.#ended.length >= MAX_ENDED) this.flush();
  }

  /** Sends what ended to the thread. A heartbeat of a run that has ended changes nothing, so that need not be immediately. */
  flush(): void {
    if (this.#ended.length > 0) this.#send([]);
  }

  #join(
    { module: { source, options }, driver }: Renewal & { readonly by: 'thread' },
    { turns }: LoopWatch,
  ): void {
    const { leaseMs, maxBlockMs } = this.#settings;
    leaseThread.join({
      leases: { worker: this.#worker, turns, leaseMs, maxBlockMs, source, options: options(), driver },
      current: () => [...this.#ports.executions()].map(leaseOf),
      onMessage: (message) => this.#onMessage(message),
    });
  }

  #send(claimed: readonly HeartbeatRequest[]): void {
    const ended = this.#ended;
    this.#ended = [];
    leaseThread.post({ type: 'change', worker: this.#worker, ended, claimed });
  }

  #onMessage(message: FromThread): void {
    switch (message.type) {
      case 'ready':
        this.#guarded.abort();
        break;
      case 'refused':
        this.#fallBack({ reason: `The server refuses the thread: ${message.reason}` });
        break;
      case 'error':
        this.#emitError(new Error(message.reason));
        break;
      case 'answers':
        this.#apply(message);
        break;
    }
  }

  #emitError(error: Error): void {
    this.#ports.emitter.emit('error', () => ({ error, doing: 'renewing leases in a thread' }));
  }

  #apply({ answers }: FromThread & { readonly type: 'answers' }): void {
    const executions = new Map([...this.#ports.executions()].map((each) => [each.run.id, each]));
    for (const { id, epoch, answer } of answers) {
      const execution = executions.get(id);
      if (execution?.run.epoch === epoch) this.#ports.onAnswer(execution, answer);
    }
  }

  #fallBack({ reason }: { readonly reason?: string }): void {
    leaseThread.leave(this.#worker);
    this.#renewal = { by: 'loop' };
    this.#guarded.abort();
    if (reason === undefined) return;
    warn({
      code: 'RETRY_LEASES_ON_LOOP',
      message: `retry worker: a handler that blocks the event loop for longer than its lease loses it. ${reason}.`,
      cure: "Open the broker by a url, or accept that with leaseRenewal: 'loop'.",
    });
  }
}

function leaseOf({ run: { id, epoch } }: Execution): HeartbeatRequest {
  return { id, epoch };
}
