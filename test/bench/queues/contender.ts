/** A queue library with one choice of settings. */
export interface Contender {
  /** Connects to its own data on the server, and creates what the library needs there. */
  readonly open: (place: Place) => Promise<Bench>;
}

/** Where a contender works. */
export interface Place {
  /** The server. */
  readonly url: string;
  /** The queue, prefix or schema. Several processes may open the same. */
  readonly name: string;
}

/** What every library is given, as an object, and stores as JSON. */
export interface Payload {
  /** The number of the run, from 0. */
  readonly n: number;
  /** When it was submitted, if that is of interest. */
  readonly at?: number;
  readonly data: unknown;
}

/** What a submission may ask for. */
export interface SubmitWishes {
  /** Not before this instant, in epoch milliseconds. @default now */
  readonly dueAt?: number | undefined;
  /** The number of the task, where there are several. @default 0 */
  readonly task?: number | undefined;
  /** How often the run will fail: libraries without retries by default have to know. @default 0 */
  readonly failures?: number | undefined;
}

/** How runs are worked off. */
export interface Work {
  /** Handlers at a time. */
  readonly concurrency: number;
  /** How many task names the worker knows. */
  readonly tasks: number;
  /** How often each run fails, to be retried without a delay, before it succeeds. */
  readonly failures: number;
  /** The handler, the same for every library. */
  readonly handle: (payload: Payload) => Promise<void>;
  /** Called when the server has acknowledged a success; where the library does not say, when the handler has ended. */
  readonly onDone: () => void;
}

/** The runs of a queue, by the library's own count. */
export interface Counts {
  /** Waiting, delayed or started. */
  readonly left: number;
  /** Completed and kept; absent where the library deletes them. */
  readonly completed?: number;
}

/** One open queue. */
export interface Bench {
  /** Submits one run and resolves when it is stored. */
  readonly submit: (payload: Payload) => Promise<unknown>;
  /** Submits all by the library's bulk call. */
  readonly submitBulk: (payloads: readonly Payload[], wishes?: SubmitWishes) => Promise<unknown>;
  /** Starts a worker in this process; returns a function that stops it. */
  readonly work: (work: Work) => Promise<() => Promise<unknown>>;
  readonly count: () => Promise<Counts>;
  /** Whether nothing is left; only where `onDone` comes before the acknowledgement. */
  readonly isSettled?: () => Promise<boolean>;
  /** Returns a page of waiting runs; `start` is how many are before it. */
  readonly list?: (page: { readonly start: number; readonly limit: number }) => Promise<number>;
  readonly close: () => Promise<unknown>;
}

/** The name of the n-th task. */
export function taskName(n: number): string {
  return `bench-${n}`;
}
