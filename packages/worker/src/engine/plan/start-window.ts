/** How many expired starts are removed together: removing them one by one would move all the others each time. */
const REMOVED_TOGETHER = 1_000;

/** A rate limit over a sliding window of starts. */
export class StartWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #starts: number[] = [];
  /** The index in `#starts` at which the window begins. */
  #first = 0;

  constructor({ limit, windowMs }: { readonly limit: number; readonly windowMs: number }) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** Counts a start. @returns `false`, without counting it, when the limit is reached */
  start(now: number): boolean {
    if (this.room(now) <= 0) return false;
    this.#starts.push(now);
    return true;
  }

  /** Takes back a start that was counted at this instant. */
  takeBack(at: number): void {
    const index = this.#starts.lastIndexOf(at);
    if (index >= this.#first) this.#starts.splice(index, 1);
  }

  /** How many more may start now. */
  room(now: number): number {
    // A start that is exactly one window old no longer counts.
    while ((this.#starts[this.#first] ?? Infinity) <= now - this.#windowMs) this.#first += 1;
    if (this.#first >= REMOVED_TOGETHER) {
      this.#starts.splice(0, this.#first);
      this.#first = 0;
    }
    return this.#limit - (this.#starts.length - this.#first);
  }

  /** Milliseconds until there is room again; `Infinity` when there is room, or never will be. */
  opensIn(now: number): number {
    const room = this.room(now);
    const oldest = this.#starts[this.#first];
    return room > 0 || oldest === undefined ? Infinity : Math.max(oldest + this.#windowMs - now, 0);
  }
}
