import type { HeartbeatAnswer } from '@retry/core/broker';
import { systemClock } from '../clock.ts';
import type { WorkerEmitter } from '../events.ts';
import type { WorkerSettings } from '../options.ts';
import type { Execution } from '../run/execution.ts';
import { warnRarely } from '../warn-rarely.ts';
import type { Renewal, RenewalProblem } from './choose-renewal.ts';
import { chooseRenewal } from './choose-renewal.ts';
import { LeaseTable } from './lease-table.ts';
import { leaseThread } from './lease-thread.ts';
import { LoopWatch } from './loop-watch.ts';
import type { FromThread } from './messages.ts';

interface GuardPorts {
  readonly emitter: WorkerEmitter;
  /** All claimed runs of the worker. */
  readonly executions: Iterable<Execution>;
  readonly onAnswer: (execution: Execution, answer: HeartbeatAnswer) => void;
}

/** One warning a process and minute, whatever the number of workers. */
const warn = warnRarely(systemClock);

let workers = 0;

/** Keeps the leases of a worker while its event loop is blocked, and reports which runs blocked it. */
export class LeaseGuard {
  readonly #settings: WorkerSettings;
  readonly #ports: GuardPorts;
  readonly #watch: LoopWatch | undefined;
  readonly #worker: number;
  #renewal: Renewal;
  /** The leases, as long as a thread renews them. */
  #table: LeaseTable | undefined;

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

  /** Begins. The thread starts and connects by itself, even if the event loop is blocked from here on. */
  open(): void {
    this.#watch?.open();
    if (this.#renewal.by === 'thread' && this.#watch !== undefined) this.#join(this.#renewal, this.#watch);
    else if (this.#renewal.by === 'loop') this.#fallBack(this.#renewal.problem);
  }

  /** Ends; the thread with it, if no other worker has it. */
  close(): void {
    this.#watch?.close();
    leaseThread.leave(this.#worker);
  }

  /** Notes claimed runs, before their handlers are called. */
  noteClaimed(executions: readonly Execution[]): void {
    this.#table?.add(executions);
  }

  /** Notes that a run has ended. */
  noteEnd(execution: Execution): void {
    this.#watch?.noteEnd(execution);
    this.#table?.remove(execution);
  }

  #join(
    { module: { source, options }, driver }: Renewal & { readonly by: 'thread' },
    { turns }: LoopWatch,
  ): void {
    const { leaseMs, maxBlockMs } = this.#settings;
    const table = new LeaseTable((chunk) => leaseThread.post({ type: 'chunk', worker: this.#worker, chunk }));
    this.#table = table;
    leaseThread.join({
      leases: { worker: this.#worker, turns, leaseMs, maxBlockMs, source, options: options(), driver },
      chunks: () => table.chunks,
      onMessage: (message) => this.#onMessage(message),
    });
  }

  #onMessage(message: FromThread): void {
    switch (message.type) {
      case 'refused':
        this.#fallBack({ reason: message.reason });
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
    const executions = new Map([...this.#ports.executions].map((each) => [each.run.id, each]));
    for (const { id, epoch, answer } of answers) {
      const execution = executions.get(id);
      if (execution?.run.epoch === epoch) this.#ports.onAnswer(execution, answer);
    }
  }

  #fallBack(problem?: RenewalProblem): void {
    leaseThread.leave(this.#worker);
    this.#renewal = { by: 'loop' };
    this.#table = undefined;
    if (problem === undefined) return;
    const { reason, cure } = problem;
    const acceptance = "ccept that with leaseRenewal: 'loop'.";
    warn({
      code: 'RETRY_LEASES_ON_LOOP',
      message: `retry worker: a handler that blocks the event loop for longer than its lease (${this.#settings.leaseMs} ms) loses it. ${reason}.`,
      cure: cure === undefined ? `A${acceptance}` : `${cure}, or a${acceptance}`,
    });
  }
}
