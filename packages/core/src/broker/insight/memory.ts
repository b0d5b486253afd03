/** How full a server is that refuses writes when it is. */
export interface ServerMemory {
  /** What it uses now, of everything that it keeps. */
  readonly usedBytes: number;
  /** What it may use. */
  readonly maxBytes: number;
  /** About what of it is the queue's, estimated from samples; absent where the server does not say. */
  readonly ownBytes?: number | undefined;
}
