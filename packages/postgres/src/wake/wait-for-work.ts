import type { WaitOptions } from '@retry/core/broker';
import type { Database } from '../driver/database.ts';
import { plainArray, textArray } from '../record/text-array.ts';
import type { ClaimMemory } from '../verbs/claim-memory.ts';

/** Lanes to which something happened. */
export interface Poke {
  /** They may have work now. */
  readonly ready: readonly string[];
  /** They have more in their schedule. */
  readonly later: readonly string[];
  /** Runs may have ended whose results a caller waits for. */
  readonly results: boolean;
}

/** The longest that a timer of the runtime can wait. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Beneath everything else, an idle worker looks this often. */
const POLL_MS = 1_000;

/** What commits between the first look and the news that somebody waits is found by a second look, so soon. */
const SECOND_LOOK_MS = 50;

interface Waiter {
  readonly lanes: ReadonlySet<string>;
  readonly finish: () => void;
  readonly look: () => void;
}

/** Those who wait for work in this process, and what wakes them. */
export class WorkWatch {
  readonly #database: Database;
  readonly #memory: ClaimMemory;
  readonly #waiters = new Set<Waiter>();
  /** Tells other processes that somebody waits here, or no longer does. */
  readonly #onChange: (waits: 'yes' | 'no') => Promise<'new' | 'known' | 'deaf'>;

  constructor(
    database: Database,
    memory: ClaimMemory,
    onChange: (waits: 'yes' | 'no') => Promise<'new' | 'known' | 'deaf'>,
  ) {
    this.#database = database;
    this.#memory = memory;
    this.#onChange = onChange;
  }

  /** Something happened to these lanes; whoever waits for them looks, or goes. */
  poke({ ready, later }: Pick<Poke, 'ready' | 'later'>): void {
    for (const waiter of [...this.#waiters]) {
      if (ready.some((lane) => waiter.lanes.has(lane))) waiter.finish();
      else if (later.some((lane) => waiter.lanes.has(lane))) waiter.look();
    }
  }

  /** Something happened, nobody knows where. */
  pokeAll(): void {
    for (const waiter of [...this.#waiters]) waiter.look();
  }

  /** Ends every wait. */
  close(): void {
    for (const waiter of [...this.#waiters]) waiter.finish();
  }

  /** Resolves when one of the lanes may have work, after the timeout, or when the signal aborts. */
  wait(lanes: readonly string[], { timeoutMs, signal }: WaitOptions): Promise<void> {
    if (timeoutMs <= 0 || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const wait = new Wait(lanes, { timeoutMs, look: () => this.#look(lanes), onEnd: () => end() });
      const end = (): void => {
        this.#waiters.delete(wait);
        signal?.removeEventListener('abort', wait.finish);
        if (this.#waiters.size === 0) void this.#onChange('no');
        resolve();
      };
      this.#waiters.add(wait);
      signal?.addEventListener('abort', wait.finish);
      void this.#onChange('yes').then((news) => wait.begin(news === 'new' ? SECOND_LOOK_MS : POLL_MS));
    });
  }

  /** In how many ms one of the lanes has work; 0 when it may have some now. */
  async #look(lanes: readonly string[]): Promise<number> {
    const { lows } = this.#memory.lookAt(lanes, performance.now());
    const text = await this.#database.call('look_for_work', [textArray(lanes), plainArray(lows)]);
    const found = JSON.parse(text ?? '{}') as Found; // what our own function builds
    if (found.ready === true) return 0;
    return found.due === null ? Infinity : Math.max(0, found.due - found.now);
  }
}

interface Found {
  readonly now: number;
  readonly ready: boolean | null;
  readonly due: number | null;
}

interface WaitPort {
  readonly timeoutMs: number;
  readonly look: () => Promise<number>;
  readonly onEnd: () => void;
}

/** One wait for work: looks, sets one timer for what comes next, and ends once. */
class Wait implements Waiter {
  readonly lanes: ReadonlySet<string>;
  readonly #port: WaitPort;
  readonly #endAt: number;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;
  #looks = 0;

  constructor(lanes: readonly string[], port: WaitPort) {
    this.lanes = new Set(lanes);
    this.#port = port;
    this.#endAt = performance.now() + port.timeoutMs;
    this.#sleep(Infinity, POLL_MS);
  }

  readonly begin = (nextLookMs: number): void => void this.#look(nextLookMs);
  readonly look = (): void => void this.#look(POLL_MS);

  readonly finish = (): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#port.onEnd();
  };

  async #look(nextLookMs: number): Promise<void> {
    if (this.#hasEnded) return;
    const look = ++this.#looks;
    // A look that fails has nothing to say; the next one may.
    const dueMs = await this.#port.look().catch(() => Infinity);
    if (dueMs <= 0) this.finish();
    else if (look === this.#looks) this.#sleep(dueMs, nextLookMs);
  }

  /** Until something is due, the wait is over, or it is time to look again: whichever comes first. */
  #sleep(dueMs: number, nextLookMs: number): void {
    if (this.#hasEnded) return;
    clearTimeout(this.#timer);
    const leftMs = this.#endAt - performance.now();
    const ends = Math.min(leftMs, dueMs) <= nextLookMs;
    const delayMs = Math.min(leftMs, dueMs, nextLookMs, LONGEST_TIMER_MS);
    this.#timer = setTimeout(ends ? this.finish : this.look, Math.ceil(delayMs));
  }
}
