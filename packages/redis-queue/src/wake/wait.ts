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
