/** A private server that everybody in a benchmark works on. */
export interface BenchServer {
  readonly url: string;
  /** Its program and version. */
  readonly version: string;
  /** Removes all data. */
  readonly clear: () => Promise<void>;
  /** What it has spent so far. */
  readonly read: () => Promise<Spent>;
  readonly stop: () => Promise<void>;
}

/** Milliseconds of processor time, and bytes of its write-ahead log if it has one. */
export interface Spent {
  readonly cpuMs: number;
  readonly walBytes?: number;
}
