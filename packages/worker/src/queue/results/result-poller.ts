import type { Clock } from '@retry/core';
import { isRetryError } from '@retry/core';
import type { Broker, Run } from '@retry/core/broker';
import { isEnd } from '@retry/core/lifecycle';
import { sleep } from '../../sleep.ts';
import type { RunReader } from '../read-runs.ts';
import { createRunReader } from '../read-runs.ts';
import type { Polled } from './poll-order.ts';
import { PollOrder, pollDelayMs } from './poll-order.ts';
import type { ResultNotifications } from './result-notifications.ts';
import { createResultNotifications } from './result-notifications.ts';

/** A run to poll. */
export interface Target {
  readonly id: string;
  /** Whether it was submitted with `keepResult`: the broker then notifies of its end, and its result has to be collected. */
  readonly isKept: boolean;
  /** The number of notifications before its submission began, if the queue has listened since then. */
  readonly notifiedSince?: number;
}

/** A caller that waits for a run. */
export interface Watcher {
  /** Called with the run each time it was read; `undefined` when there is none. */
  readonly onRun: (run: Run | undefined) => void;
  /** The run can never be read. */
  readonly onError: (error: unknown) => void;
  /** The broker could not be asked, and will be asked again. */
  readonly onBrokerError: (error: unknown) => void;
}

interface PollerOptions {
  readonly broker: Broker;
  readonly clock: Clock;
  readonly onError: (error: unknown, doing: string) => void;
  /** The result of a kept run has been read. */
  readonly onCollected: (id: string) => void;
}

interface Entry extends Polled {
  /** Usually one. */
  watchers: readonly Watcher[];
}

/** A poll that takes longer and finds nothing is followed by a pause of this many times its duration. */
const SHORT_POLL_MS = 1;
const PAUSE_FACTOR = 3;

/** The longest of these pauses, in ms: a poll during an outage takes as long as that. */
const MAX_PAUSE_MS = 1_000;

/** Reads the runs that callers of a queue wait for, in one call at a time for all of them. Idle while no caller waits. */
export class ResultPoller {
  readonly notifications: ResultNotifications;
  readonly #options: PollerOptions;
  readonly #reader: RunReader;
  readonly #entries = new Map<string, Entry>();
  readonly #order = new PollOrder<Entry>();
  #isPolling = false;
  #isPausing = false;
  /** Ends the wait for the next poll. */
  #wake: () => void = () => {};

  constructor(options: PollerOptions) {
    this.#options = options;
    this.#reader = createRunReader(options.broker);
    this.notifications = createResultNotifications({
      ...options,
      onNotified: () => this.#onNotified(),
      onError: (error) => options.onError(error, 'waiting for results'),
    });
  }

  /** Passes the run to the watcher at each poll. @returns ends it */
  watch(target: Target, watcher: Watcher): () => void {
    const stopListening = target.isKept ? this.notifications.listen() : undefined;
    const entry = this.#entries.get(target.id) ?? this.#enter(target);
    entry.isKept ||= target.isKept;
    entry.watchers = [...entry.watchers, watcher];
    if (this.#isPolling) this.#endRest();
    else void this.#pollUntilEmpty();
    return () => {
      if (!entry.watchers.includes(watcher)) return;
      entry.watchers = entry.watchers.filter((other) => other !== watcher);
      stopListening?.();
      if (entry.watchers.length > 0) return;
      this.#entries.delete(entry.id);
      this.#order.delete(entry);
      if (this.#entries.size === 0) this.#wake();
    };
  }

  #enter({ id, isKept, notifiedSince }: Target): Entry {
    const now = this.#options.clock.now();
    const entry: Entry = { id, isKept, polls: 0, dueAt: now, watchers: [] };
    this.#entries.set(id, entry);
    this.#order.add(entry, { now, isSubscribed: notifiedSince !== undefined });
    // It may have ended before it was added.
    if (notifiedSince !== undefined && notifiedSince < this.notifications.count()) this.#order.notify();
    return entry;
  }

  #onNotified(): void {
    this.#order.notify();
    this.#endRest();
  }

  /** Does not end a pause, which leaves the broker to the workers. */
  #endRest(): void {
    if (!this.#isPausing) this.#wake();
  }

  async #pollUntilEmpty(): Promise<void> {
    const { clock } = this.#options;
    this.#isPolling = true;
    for (let failures = 0; this.#entries.size > 0; ) {
      const startedAt = clock.now();
      const entries = this.#order.next(startedAt, this.#reader.size());
      if (entries.length === 0) {
        await this.#wait(this.#order.nextDueAt() - startedAt);
        continue;
      }
      const ended = await this.#poll(entries);
      failures = ended === undefined ? failures + 1 : 0;
      const tookMs = clock.now() - startedAt;
      const unendedShare = 1 - (ended ?? 0) / entries.length;
      if (failures > 0) await this.#pause(pollDelayMs(failures));
      else if (tookMs > SHORT_POLL_MS)
        await this.#pause(Math.min(tookMs * PAUSE_FACTOR * unendedShare, MAX_PAUSE_MS));
    }
    this.#isPolling = false;
  }

  async #pause(delayMs: number): Promise<void> {
    if (delayMs < SHORT_POLL_MS) return;
    this.#isPausing = true;
    await this.#wait(delayMs);
    this.#isPausing = false;
  }

  async #wait(delayMs: number): Promise<void> {
    if (this.#entries.size === 0) return;
    const waiting = new AbortController();
    this.#wake = () => waiting.abort();
    await sleep(this.#options.clock, delayMs, waiting.signal);
    this.#wake = () => {};
  }

  /** @returns how many of them are no longer awaited; `undefined` when the broker could not be asked */
  async #poll(entries: readonly Entry[]): Promise<number | undefined> {
    const ids = entries.map(({ id }) => id);
    try {
      const runs = await this.#reader.read(ids, (id, error) => this.#reject(id, error));
      return this.#pass(entries, runs);
    } catch (error) {
      const isClosed = isRetryError(error, 'BROKER_CLOSED');
      for (const entry of [...this.#entries.values()])
        for (const watcher of entry.watchers)
          if (isClosed) watcher.onError(error);
          else watcher.onBrokerError(error);
      if (!isClosed) this.#options.onError(error, 'polling for results');
      return undefined;
    }
  }

  #pass(entries: readonly Entry[], runs: readonly (Run | undefined)[]): number {
    const ended = entries.filter(({ isKept }, index) => isKept && isEnded(runs[index]));
    void this.#collect(ended.map(({ id }) => id));
    entries.forEach(({ watchers }, index) => {
      for (const watcher of watchers) watcher.onRun(runs[index]);
    });
    const left = entries.filter(({ watchers }) => watchers.length > 0);
    this.#order.notePoll(left, { now: this.#options.clock.now(), keptEnded: ended.length });
    return entries.length - left.length;
  }

  /** A call of its own after the read: had the read collected them, a lost reply would lose the results. Never rejects. */
  async #collect(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { broker, onCollected, onError } = this.#options;
    for (const id of ids) onCollected(id);
    try {
      await broker.get(ids, { collect: true, answer: 'none' });
    } catch (error) {
      // The callers have their results, so a broker that was closed meanwhile is not reported.
      if (!isRetryError(error, 'BROKER_CLOSED')) onError(error, 'collecting results');
    }
  }

  #reject(id: string, error: unknown): void {
    for (const watcher of this.#entries.get(id)?.watchers ?? []) watcher.onError(error);
  }
}

function isEnded(run: Run | undefined): boolean {
  return run !== undefined && isEnd(run.state);
}
