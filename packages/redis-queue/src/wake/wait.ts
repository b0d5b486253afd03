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
  readonly #timers = new Set<NodeJS.Timeout>();
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
    this.#endAfter(timeoutMs);
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
    this.#offsetMs = serverNow - Date.now();
  }

  /** Ends at an instant of the server's clock, unless it ends before. */
  endAt(dueAt: number): void {
    const delayMs = dueAt - (Date.now() + this.#offsetMs);
    if (delayMs <= 0) this.end();
    else this.#endAfter(Math.ceil(delayMs));
  }

  #endAfter(delayMs: number): void {
    if (this.hasEnded || delayMs > LONGEST_TIMER_MS) return;
    this.#timers.add(setTimeout(this.end, delayMs));
  }

  #finish(): Ending | undefined {
    const settle = this.#settle;
    this.#settle = undefined;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#signal?.removeEventListener('abort', this.end);
    return settle;
  }
}
