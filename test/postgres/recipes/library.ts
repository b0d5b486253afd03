/** A transaction in which a test writes an order beside what it does with a queue. */
export interface OrderTransaction {
  /** As the recipe says. */
  readonly tx: unknown;
  readonly insertOrder: (id: string) => Promise<unknown>;
}

/** A library that users write their transactions with. */
export interface Library {
  /** Commits when `work` resolves; when it rejects, rolls back and rejects with the same. */
  readonly transact: (work: (transaction: OrderTransaction) => Promise<void>) => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

/** Opens a library on a server whose table `orders` stands in the schema. */
export type OpenLibrary = (url: string, schema: string) => Promise<Library>;
