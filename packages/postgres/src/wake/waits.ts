import type { WaitForWork, WaitOptions } from '@retry/core/broker';
import type { Database } from '../driver/database.ts';
import type { ClaimMemory } from '../record/claim-memory.ts';
import type { WaitingNotice, WorkNotification } from './notifications.ts';

/** The longest that a timer of the runtime can wait, in ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** An idle worker, or a caller that waits for a result, polls this often, in ms, even when notifications arrive. */
const POLL_MS = 1_000;

/** A second poll, after this many ms, finds what is committed between the first one and the announcement of the wait. */
const SECOND_POLL_MS = 50;

/** The workers of this process that wait for work. */
export class WorkWaits {
  readonly #database: Database;
  readonly #memory: ClaimMemory;
  readonly #notice: WaitingNotice;
  readonly #waits = new Set<Wait>();
  /** Lanes that were on hold when a claim or a poll looked. */
  readonly #held = new Set<string>();

  constructor(database: Database, memory: ClaimMemory, notice: WaitingNotice) {
    this.#database = database;
    this.#memory = memory;
    this.#notice = notice;
  }

  /** Records which of these lanes are on hold: a run that is ready there is no work. */
  recordHeld(lanes: readonly string[], held: readonly string[]): void {
    if (this.#held.size > 0) for (const lane of lanes) this.#held.delete(lane);
    for (const lane of held) this.#held.add(lane);
  }

  /** Ends the waits for lanes that are ready, and polls for those whose schedule has changed, or that were on hold. */
  notify({ ready, later }: Pick<WorkNotification, 'ready' | 'later'>): void {
    for (const wait of [...this.#waits]) {
      const own = ready.filter((lane) => wait.lanes.has(lane));
      if (own.some((lane) => !this.#held.has(lane))) wait.finish();
      else if (own.length > 0 || later.some((lane) => wait.lanes.has(lane))) wait.poll();
    }
  }

  /** Polls for every wait: any lane may have changed. */
  pollAll(): void {
    for (const wait of [...this.#waits]) wait.poll();
  }

  /** Ends every wait. */
  close(): void {
    for (const wait of [...this.#waits]) wait.finish();
  }

  /** Resolves when one of the lanes may have work, after the timeout, or when the signal aborts. */
  wait({ lanes, timeoutMs, signal }: WaitForWork): Promise<void> {
    if (timeoutMs <= 0 || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const wait = new Wait(lanes, { timeoutMs, poll: () => this.#poll(lanes), onEnd: () => end() });
      const end = (): void => {
        this.#waits.delete(wait);
        signal?.removeEventListener('abort', wait.finish);
        if (this.#waits.size === 0) this.#notice.stop();
        resolve();
      };
      this.#waits.add(wait);
      signal?.addEventListener('abort', wait.finish);
      void this.#notice.start().then((state) => wait.begin(state === 'new' ? SECOND_POLL_MS : POLL_MS));
    });
  }

  /** Returns in how many ms one of the lanes has work; 0 when it may have some now. Renews the announcement on the way. */
  async #poll(lanes: readonly string[]): Promise<number> {
    // A wait may be longer than the announcement counts, and a subscription that broke is made again.
    if (this.#waits.size > 0) void this.#notice.start();
    const { reads } = this.#memory.startsOf(lanes, performance.now());
    const lowSeqs = reads.map(({ from }) => from);
    const text = await this.#database.call('poll_lanes', { lanes, lowSeqs });
    const found = JSON.parse(text ?? '{}') as Found; // what our own function builds
    this.recordHeld(lanes, found.held);
    if (found.ready === true) return 0;
    return found.due === null ? Infinity : Math.max(0, found.due - found.now);
  }
}

/** What `poll_lanes` replies. */
interface Found {
  readonly now: number;
  readonly ready: boolean | null;
  /** When one of the lanes has work by time alone. */
  readonly due: number | null;
  readonly held: readonly string[];
}

interface WaitSettings {
  readonly timeoutMs: number;
  readonly poll: () => Promise<number>;
  readonly onEnd: () => void;
}

/** One wait for work: polls, sets one timer for what comes next, and ends once. */
class Wait {
  readonly lanes: ReadonlySet<string>;
  readonly #settings: WaitSettings;
  readonly #endAt: number;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;
  #polls = 0;

  constructor(lanes: readonly string[], settings: WaitSettings) {
    this.lanes = new Set(lanes);
    this.#settings = settings;
    this.#endAt = performance.now() + settings.timeoutMs;
    this.#sleep(Infinity, POLL_MS);
  }

  readonly begin = (nextPollMs: number): void => void this.#poll(nextPollMs);
  readonly poll = (): void => void this.#poll(POLL_MS);

  readonly finish = (): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#settings.onEnd();
  };

  async #poll(nextPollMs: number): Promise<void> {
    if (this.#hasEnded) return;
    const poll = ++this.#polls;
    // A connection may die without a word: then the poll is not answered for minutes, and the wait ends in time nevertheless.
    this.#sleep(Infinity, Infinity);
    // A poll that fails is followed by the next one.
    const dueMs = await this.#settings.poll().catch(() => Infinity);
    if (dueMs <= 0) this.finish();
    else if (poll === this.#polls) this.#sleep(dueMs, nextPollMs);
  }

  /** Sleeps until something is due, the wait is over, or the next poll: whichever comes first. */
  #sleep(dueMs: number, nextPollMs: number): void {
    if (this.#hasEnded) return;
    clearTimeout(this.#timer);
    const leftMs = this.#endAt - performance.now();
    const isLast = Math.min(leftMs, dueMs) <= nextPollMs;
    // Node warns of a negative delay.
    const delayMs = Math.max(0, Math.min(leftMs, dueMs, nextPollMs, LONGEST_TIMER_MS));
    this.#timer = setTimeout(isLast ? this.finish : this.poll, Math.ceil(delayMs));
  }
}

/** A caller that waits for a result polls this often, in ms, where no notifications arrive. */
const UNNOTIFIED_POLL_MS = 100;

/** The callers of this process that wait for results. */
export class ResultWaits {
  readonly #notice: WaitingNotice;
  readonly #waits = new Set<() => void>();

  constructor(notice: WaitingNotice) {
    this.#notice = notice;
  }

  /** Ends every wait: a run may have ended whose result a caller waits for. */
  wake(): void {
    for (const finish of [...this.#waits]) finish();
  }

  /** Resolves at `wake`, after the timeout, or when the signal aborts; at times without a reason. */
  wait({ timeoutMs, signal }: WaitOptions): Promise<void> {
    if (timeoutMs <= 0 || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const finish = (): void => {
        clearTimeout(timer);
        this.#waits.delete(finish);
        signal?.removeEventListener('abort', finish);
        if (this.#waits.size === 0) this.#notice.stop();
        resolve();
      };
      const finishIn = (ms: number): void => {
        clearTimeout(timer);
        if (this.#waits.has(finish)) timer = setTimeout(finish, Math.min(timeoutMs, ms));
      };
      this.#waits.add(finish);
      signal?.addEventListener('abort', finish);
      finishIn(POLL_MS);
      // Runs that ended before the wait was announced have sent no notification, so the caller polls once more.
      void this.#notice.start().then((state) => {
        if (state === 'new') finish();
        else if (state === 'unreachable') finishIn(UNNOTIFIED_POLL_MS);
      });
    });
  }
}
