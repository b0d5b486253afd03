import type { WaitOptions } from '@retry/core/broker';

/** The longest that a timer of the runtime can wait, in ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Ending {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** One wait for work; when it ends, it leaves neither timer nor listener behind. */
export class Wait {
  /** A message on one of these ends it. */
  readonly channels: ReadonlySet<string>;
  readonly ended: Promise<void>;
  readonly #timeout: NodeJS.Timeout | undefined;
  /** Ends the wait at the earliest of the instants that are known. */
  #dueTimer: NodeJS.Timeout | undefined;
  #endsAt = Infinity;
  readonly #signal: WaitOptions['signal'];
  #settle: Ending | undefined;
  #offsetMs = 0;

  constructor(channels: ReadonlySet<string>, { timeoutMs, signal }: WaitOptions) {
    this.channels = channels;
    this.#signal = signal;
    this.ended = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    signal?.addEventListener('abort', this.end);
    if (timeoutMs <= LONGEST_TIMER_MS) this.#timeout = setTimeout(this.end, timeoutMs);
  }

  get hasEnded(): boolean {
    return this.#settle === undefined;
  }

  readonly end = (): void => this.#finish()?.resolve();

  fail(error: unknown): void {
    this.#finish()?.reject(error);
  }

  /** Takes the server's clock for `endAt`. */
  synchronize(serverNow: number): void {
    this.#offsetMs = serverNow - performance.now();
  }

  /** Ends at an instant of the server's clock, unless it ends before. */
  endAt(dueAt: number): void {
    if (dueAt < this.#endsAt) this.endOnlyAt(dueAt);
  }

  /** Ends at an instant of the server's clock, and not at those that were known before; `undefined`: at none. */
  endOnlyAt(dueAt: number | undefined): void {
    clearTimeout(this.#dueTimer);
    this.#endsAt = dueAt ?? Infinity;
    const delayMs = Math.ceil(this.#endsAt - (performance.now() + this.#offsetMs));
    if (delayMs <= 0) this.end();
    else if (!this.hasEnded && delayMs <= LONGEST_TIMER_MS) this.#dueTimer = setTimeout(this.end, delayMs);
  }

  #finish(): Ending | undefined {
    const settle = this.#settle;
    this.#settle = undefined;
    clearTimeout(this.#timeout);
    clearTimeout(this.#dueTimer);
    this.#signal?.removeEventListener('abort', this.end);
    return settle;
  }
}

/** What the server knows of lanes. Instants are those of its clock. */
export interface LaneWork {
  readonly now: number;
  /** When one of them has work, by time alone; now or before, if one has it already. */
  readonly workAt: number | undefined;
  /** One of them has a hold, which may change what a wake signal means. */
  readonly isOnHold: boolean;
}

/**
 * Ends a wait when its lanes have work. Where one of them is on hold, a wake signal may be about work that no claim gets yet: then
 * the server is asked. Without holds no signal costs a call.
 */
export class LaneWatch {
  readonly #wait: Wait;
  readonly #read: () => Promise<LaneWork>;
  /** `undefined` before the first read. */
  #isOnHold: boolean | undefined;
  #isReading = false;
  #isStale = false;
  /** The earliest instant of the signals that came during a read. */
  #signalledAt = Infinity;

  constructor(wait: Wait, read: () => Promise<LaneWork>) {
    this.#wait = wait;
    this.#read = read;
  }

  /** Asks the server when the lanes have work; again, if what it answered has changed meanwhile. */
  async read(): Promise<void> {
    this.#isStale = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isStale && !this.#wait.hasEnded) await this.#readOnce();
    } finally {
      this.#isReading = false;
    }
  }

  /** A run comes to one of the lanes, or is due at an instant of the server's clock. */
  async signal(at: number): Promise<void> {
    if (this.#isReading) this.#signalledAt = Math.min(this.#signalledAt, at);
    else if (this.#isOnHold === true) await this.read();
    else if (this.#isOnHold === false) this.#wait.endAt(at);
    // Otherwise the first read is yet to come, and finds what this signal is about.
  }

  async #readOnce(): Promise<void> {
    this.#isStale = false;
    this.#signalledAt = Infinity;
    const { now, workAt, isOnHold } = await this.#read();
    this.#isOnHold = isOnHold;
    this.#wait.synchronize(now);
    this.#wait.endOnlyAt(workAt);
    if (this.#signalledAt === Infinity) return;
    if (isOnHold) this.#isStale = true;
    else this.#wait.endAt(this.#signalledAt);
  }
}
