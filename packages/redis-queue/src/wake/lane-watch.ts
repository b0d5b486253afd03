import type { Wait } from './wait.ts';

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
