/** A private server that everybody in a benchmark works on. */
export interface BenchServer {
  readonly url: string;
  /** Its program and version. */
  readonly version: string;
  /** Removes all data. */
  readonly clear: () => Promise<void>;
  /** What it has spent so far. */
  readonly read: () => Promise<Spent>;
  /** How many bytes it stores: those of its memory, or of its tables and indexes. */
  readonly storedBytes: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** Milliseconds of processor time, and bytes of its write-ahead log if it has one. */
export interface Spent {
  readonly cpuMs: number;
  readonly walBytes?: number;
}
