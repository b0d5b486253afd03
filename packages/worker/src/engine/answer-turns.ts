/**
 * Lets the answers of outstanding exchanges take effect one after another. A server answers requests together that reached it
 * together. If their answers took effect together, too, the next two requests would leave together again: the broker would be idle
 * while the worker works, and the worker while the broker does. So the first answer takes effect, what it leads to is sent, and
 * then comes the next one.
 */
export class AnswerTurns {
  #isTaken = false;
  readonly #waiting: (() => void)[] = [];

  /** Whether an answer waits for its turn. */
  get areAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  /** Takes the turn if it is free. Otherwise `next` has to be awaited. */
  take(): boolean {
    if (this.#isTaken) return false;
    this.#isTaken = true;
    return true;
  }

  /** Resolves when the turn of this answer has come. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Ends the present turn if no other answer waits for it: what it led to has been seen. */
  end(): void {
    if (!this.areAwaited) this.#isTaken = false;
  }

  /** Gives the turn to the answer that waits first. @returns whether there is one */
  pass(): boolean {
    const next = this.#waiting.shift();
    this.#isTaken = next !== undefined;
    next?.();
    return this.#isTaken;
  }
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
