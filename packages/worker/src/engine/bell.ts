/** Something to wait at until somebody rings; a ring while nobody waits ends the next wait at once. */
export class Bell {
  #hasRung = false;
  #interrupt: (() => void) | undefined;

  ring(): void {
    if (this.#interrupt === undefined) this.#hasRung = true;
    else this.#interrupt();
  }

  /** Waits as `wait` does; its signal aborts at the next ring. */
  async during(wait: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (!this.#hasRung) {
      const controller = new AbortController();
      this.#interrupt = () => controller.abort('rung'); // without a reason it makes an error, stack and all
      await wait(controller.signal);
      this.#interrupt = undefined;
    }
    this.#hasRung = false;
  }
}
