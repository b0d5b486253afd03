/** A transaction in which a test writes an order beside what it does with a queue. */
export interface OrderTransaction {
  /** The transaction as `submit` and `complete` take it. */
  readonly tx: unknown;
  readonly insertOrder: (id: string) => Promise<unknown>;
}

/** A library with transactions, opened on a server. */
export interface Library {
  /** Commits when `work` resolves; when it rejects, rolls back and rejects with the same. */
  readonly transact: (work: (transaction: OrderTransaction) => Promise<void>) => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

/** Opens a library on a server; the schema has a table `orders`. */
export type OpenLibrary = (url: string, schema: string) => Promise<Library>;
