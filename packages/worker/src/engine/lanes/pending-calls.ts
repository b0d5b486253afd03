/** Calls to the broker that nobody awaits until the worker stops. */
export class PendingCalls {
  readonly #calls = new Set<Promise<void>>();

  /** @param call - never rejects */
  add(call: Promise<void>): void {
    const kept = call.finally(() => this.#calls.delete(kept));
    this.#calls.add(kept);
  }

  /** Resolves when every call was answered. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#calls);
  }
}
