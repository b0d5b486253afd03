import type { Clock } from '@retry/core';
import type { Execution } from '../run/execution.ts';

/** How long a prefetched run waits for a slot, in ms; then it is given back. */
const MAX_WAIT_MS = 100;

interface PrefetchedOptions {
  readonly clock: Clock;
  /** Gives back runs, uncharged, that have waited for this long. */
  readonly giveBack: (executions: readonly Execution[], waitedMs: number) => void;
}

/** Runs that wait together since their claim was answered. */
interface Batch {
  readonly since: number;
  readonly executions: readonly Execution[];
  /** The index of the first one that still waits. */
  first: number;
}

/**
 * The claimed runs of a worker that wait for a slot, in the order of their claims. None waits for longer than 100 ms: other
 * workers may be idle. The timer for that exists only while a run waits.
 */
export class Prefetched {
  readonly #options: PrefetchedOptions;
  #batches: Batch[] = [];
  #cancelTimer: (() => void) | undefined;

  constructor(options: PrefetchedOptions) {
    this.#options = options;
  }

  /** Adds runs at the end. Call `watch` once those were taken that may start. */
  push(executions: readonly Execution[]): void {
    if (executions.length > 0) this.#batches.push({ since: this.#options.clock.now(), executions, first: 0 });
  }

  /** Takes out the first run, without those that have ended meanwhile; `undefined` when none waits. */
  shift(): Execution | undefined {
    for (let [batch] = this.#batches; batch !== undefined; [batch] = this.#batches) {
      const execution = batch.executions[batch.first];
      batch.first += 1;
      if (batch.first >= batch.executions.length) this.#batches.shift();
      if (execution?.hasEnded === false) return execution;
    }
    return undefined;
  }

  /** Takes out all runs. */
  clear(): readonly Execution[] {
    const waiting = this.#batches.flatMap(waitingOf);
    this.#batches = [];
    this.#stopWatching();
    return waiting;
  }

  /** Sets the timer if runs wait, and cancels it if none does. */
  watch(): void {
    const [oldest] = this.#batches;
    if (oldest === undefined) this.#stopWatching();
    else if (this.#cancelTimer === undefined) {
      const { clock } = this.#options;
      const leftMs = Math.max(oldest.since + MAX_WAIT_MS - clock.now(), 0);
      this.#cancelTimer = clock.setTimer(() => this.#onTimer(), leftMs);
    }
  }

  #onTimer(): void {
    const { clock, giveBack } = this.#options;
    const now = clock.now();
    this.#cancelTimer = undefined;
    const late = this.#batches.filter(({ since }) => now - since >= MAX_WAIT_MS);
    // Taken out first: whatever ends frees a slot for the next run in line.
    this.#batches = this.#batches.slice(late.length);
    const [oldest] = late;
    const waiting = late.flatMap(waitingOf);
    if (oldest !== undefined && waiting.length > 0) giveBack(waiting, now - oldest.since);
    this.watch();
  }

  #stopWatching(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}

function waitingOf({ executions, first }: Batch): readonly Execution[] {
  return executions.slice(first).filter(({ hasEnded }) => !hasEnded);
}
