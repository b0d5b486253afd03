/** A queue library under measurement, in its fastest documented configuration. */
export interface Contender {
  readonly name: string;
  /** Opens an empty queue of its own. */
  readonly open: () => Promise<Bench>;
}

/** How runs are processed. */
export interface Work {
  readonly concurrency: number;
  /** How often each run fails immediately, to be retried without a delay, before it succeeds. @default 0 */
  readonly failures?: number;
  /** Called when a handler starts, with its payload. */
  readonly onStart?: (payload: number) => void;
  /** Called when the library has recorded a success. */
  readonly onDone: () => void;
}

/** One open queue. Payloads are numbers, so that their size does not matter. */
export interface Bench {
  /** Submits one run and resolves when it is stored. */
  readonly submit: (payload: number, options?: { readonly delayMs: number }) => Promise<unknown>;
  /** Submits all by the library's bulk call. */
  readonly submitBulk: (
    payloads: readonly number[],
    options?: { readonly failures: number },
  ) => Promise<unknown>;
  /** Starts a worker in this process; returns a function that stops it. */
  readonly work: (work: Work) => Promise<() => Promise<unknown>>;
  /** Removes everything and closes. */
  readonly close: () => Promise<unknown>;
}
