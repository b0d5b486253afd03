import type { Clock } from '@retry/core';

/** Interrupts the wait of a loop. A notification between two waits ends the next one immediately. */
export class WakeSignal {
  #isNotified = false;
  #interrupt: (() => void) | undefined;

  /** Ends the current wait, or the next one. */
  notify(): void {
    if (this.#interrupt === undefined) this.#isNotified = true;
    else this.#interrupt();
  }

  /** Waits as `wait` does; its signal aborts at the next notification. */
  async during(wait: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (!this.#isNotified) {
      const controller = new AbortController();
      this.#interrupt = () => controller.abort('notified'); // without a reason it would create an error with a stack
      await wait(controller.signal);
      this.#interrupt = undefined;
    }
    this.#isNotified = false;
  }

  /** Waits for the next notification, at most `delayMs` (`Infinity`: without a timer). Needs no signal, which is expensive. */
  async sleep(clock: Clock, delayMs: number): Promise<void> {
    if (!this.#isNotified) {
      await new Promise<void>((resolve) => {
        const cancel = delayMs < Infinity ? clock.setTimer(resolve, delayMs) : undefined;
        this.#interrupt = () => {
          cancel?.();
          resolve();
        };
      });
      this.#interrupt = undefined;
    }
    this.#isNotified = false;
  }
}
