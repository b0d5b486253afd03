import type { Clock } from '@retry/core';
import { isRetryError } from '@retry/core';
import type { Broker, Run } from '@retry/core/broker';
import { isEnd } from '@retry/core/lifecycle';
import { sleep } from '../sleep.ts';
import type { Sought } from './poll-order.ts';
import { LookingOrder, pollDelayMs } from './poll-order.ts';
import type { RunReader } from './read-runs.ts';
import { createRunReader } from './read-runs.ts';
import type { ResultSignal } from './result-notifications.ts';
import { createResultSignal } from './result-notifications.ts';

/** A run to look for. */
export interface Target {
  readonly id: string;
  /** It was submitted with `keepResult`: the broker notifies of its end, and its result has to be collected. */
  readonly isKept: boolean;
  /** How many notifications there had been when its submission began, if they were listened to since. */
  readonly heardSince?: number;
}

/** What a caller that waits for a run is passed. */
export interface Watcher {
  /** The run as it is, each time it was looked for; `undefined` when there is none. */
  readonly onRun: (run: Run | undefined) => void;
  /** The run can never be looked for. */
  readonly onError: (error: unknown) => void;
  /** The broker could not be asked, and will be again. */
  readonly onTrouble: (error: unknown) => void;
}

interface LookerOptions {
  readonly broker: Broker;
  readonly clock: Clock;
  readonly onTrouble: (error: unknown, doing: string) => void;
  /** The result of a kept run has been read. */
  readonly onCollected: (id: string) => void;
}

interface Entry extends Sought {
  /** Most have one. */
  watchers: readonly Watcher[];
}

/** After a look that took longer and was in vain, the broker has this many times as long for the workers. */
const SHORT_LOOK_MS = 1;
const PAUSE_PER_LOOK = 3;

/** Looks for the runs that the callers of a queue wait for: one call at a time for all of them. Idle while none waits. */
export class ResultLooker {
  readonly signal: ResultSignal;
  readonly #options: LookerOptions;
  readonly #reader: RunReader;
  readonly #entries = new Map<string, Entry>();
  readonly #order = new LookingOrder<Entry>();
  #isLooking = false;
  #isPausing = false;
  /** Ends the wait for the next look. */
  #wake: () => void = () => {};

  constructor(options: LookerOptions) {
    this.#options = options;
    this.#reader = createRunReader(options.broker);
    this.signal = createResultSignal({
      ...options,
      onNotified: () => this.#onNotified(),
      onTrouble: (error) => options.onTrouble(error, 'waiting for results'),
    });
  }

  /** Passes the watcher the run until that ends it. @returns ends it */
  watch(target: Target, watcher: Watcher): () => void {
    const stopListening = target.isKept ? this.signal.listen() : undefined;
    const entry = this.#entries.get(target.id) ?? this.#enter(target);
    entry.isKept ||= target.isKept;
    entry.watchers = [...entry.watchers, watcher];
    if (this.#isLooking) this.#endRest();
    else void this.#lookUntilAllLeft();
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

  #enter({ id, isKept, heardSince }: Target): Entry {
    const now = this.#options.clock.now();
    const entry: Entry = { id, isKept, looks: 0, dueAt: now, watchers: [] };
    this.#entries.set(id, entry);
    this.#order.add(entry, { now, isHeard: heardSince !== undefined });
    // It may have ended before it was entered.
    if (heardSince !== undefined && heardSince < this.signal.count()) this.#order.notify();
    return entry;
  }

  #onNotified(): void {
    this.#order.notify();
    this.#endRest();
  }

  /** A pause goes on: it is there to leave the broker to the workers. */
  #endRest(): void {
    if (!this.#isPausing) this.#wake();
  }

  async #lookUntilAllLeft(): Promise<void> {
    const { clock } = this.#options;
    this.#isLooking = true;
    for (let failures = 0; this.#entries.size > 0; ) {
      const startedAt = clock.now();
      const entries = this.#order.next(startedAt, this.#reader.size());
      if (entries.length === 0) {
        await this.#wait(this.#order.nextDueAt() - startedAt);
        continue;
      }
      const ended = await this.#look(entries);
      failures = ended === undefined ? failures + 1 : 0;
      const tookMs = clock.now() - startedAt;
      const vainShare = 1 - (ended ?? 0) / entries.length;
      if (failures > 0) await this.#pause(pollDelayMs(failures));
      else if (tookMs > SHORT_LOOK_MS) await this.#pause(tookMs * PAUSE_PER_LOOK * vainShare);
    }
    this.#isLooking = false;
  }

  async #pause(delayMs: number): Promise<void> {
    if (delayMs < SHORT_LOOK_MS) return;
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

  /** @returns how many of them are no longer waited for; `undefined` when the broker could not be asked */
  async #look(entries: readonly Entry[]): Promise<number | undefined> {
    const ids = entries.map(({ id }) => id);
    try {
      const runs = await this.#reader.read(ids, (id, error) => this.#reject(id, error));
      return this.#pass(entries, runs);
    } catch (error) {
      const isClosed = isRetryError(error, 'BROKER_CLOSED');
      for (const entry of [...this.#entries.values()])
        for (const watcher of entry.watchers)
          if (isClosed) watcher.onError(error);
          else watcher.onTrouble(error);
      if (!isClosed) this.#options.onTrouble(error, 'looking for results');
      return undefined;
    }
  }

  #pass(entries: readonly Entry[], runs: readonly (Run | undefined)[]): number {
    const ended = entries.filter(({ isKept }, index) => isKept && isEnded(runs[index]));
    this.#collect(ended.map(({ id }) => id));
    entries.forEach(({ watchers }, index) => {
      for (const watcher of watchers) watcher.onRun(runs[index]);
    });
    const left = entries.filter(({ watchers }) => watchers.length > 0);
    this.#order.looked(left, { now: this.#options.clock.now(), keptEnded: ended.length });
    return entries.length - left.length;
  }

  /** Only now: had reading collected them, a reply that is lost on its way would have been the last. */
  #collect(ids: readonly string[]): void {
    if (ids.length === 0) return;
    const { broker, onCollected, onTrouble } = this.#options;
    for (const id of ids) onCollected(id);
    const onError = (error: unknown): void => {
      // The callers have their results: that the broker was closed meanwhile is no trouble of theirs.
      if (!isRetryError(error, 'BROKER_CLOSED')) onTrouble(error, 'collecting results');
    };
    void broker.get(ids, { collect: true, answer: 'none' }).catch(onError);
  }

  #reject(id: string, error: unknown): void {
    for (const watcher of this.#entries.get(id)?.watchers ?? []) watcher.onError(error);
  }
}

function isEnded(run: Run | undefined): boolean {
  return run !== undefined && isEnd(run.state);
}
