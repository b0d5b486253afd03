const OVER = Promise.resolve();

/**
 * The rest of a turn of the event loop, in which further runs may end. It is over at once when none can: a worker that runs one thing at
 * a time would spend several microseconds of each run on waiting.
 */
export class RestOfTurn {
  readonly #mayMoreEnd: () => boolean;
  #end: (() => void) | undefined;

  /** @param mayMoreEnd - whether there is a run that may end, or an answer that may bring one */
  constructor(mayMoreEnd: () => boolean) {
    this.#mayMoreEnd = mayMoreEnd;
  }

  /** Resolves in the next turn, or as soon as no other run can end. */
  pass(): Promise<void> {
    if (!this.#mayMoreEnd()) return OVER;
    return new Promise((resolve) => {
      const next = setImmediate(resolve);
      this.#end = () => {
        clearImmediate(next);
        resolve();
      };
    });
  }

  /** Notes that a run has ended. */
  noteEnd(): void {
    if (this.#end === undefined || this.#mayMoreEnd()) return;
    this.#end();
    this.#end = undefined;
  }
}
