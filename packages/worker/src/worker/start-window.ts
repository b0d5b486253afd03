/** A rate limit over a sliding window of starts. */
export class StartWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  #starts: readonly number[] = [];

  constructor({ limit, windowMs }: { readonly limit: number; readonly windowMs: number }) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** Counts a start; gives false, and counts none, when the limit is reached. */
  start(now: number): boolean {
    if (this.room(now) <= 0) return false;
    this.#starts = [...this.#starts, now];
    return true;
  }

  /** How many more may start now. */
  room(now: number): number {
    // A start exactly one window old has left it.
    this.#starts = this.#starts.filter((at) => at > now - this.#windowMs);
    return this.#limit - this.#starts.length;
  }

  /** Milliseconds until there is room again; `Infinity` when there is room, or never will be. */
  opensIn(now: number): number {
    const [oldest] = this.#starts;
    return this.room(now) > 0 || oldest === undefined ? Infinity : Math.max(oldest + this.#windowMs - now, 0);
  }
}
