/** How many transactions of `transaction()` are open on each client, and what is called when one of them ends. */
interface OpenTransactions {
  count: number;
  readonly onEnd: Set<() => void>;
}

const transactions = new WeakMap<object, OpenTransactions>();

/** Counts a transaction on this client while `run` lasts. */
export async function countTransaction<Result>(client: object, run: () => Promise<Result>): Promise<Result> {
  const open = transactions.get(client) ?? { count: 0, onEnd: new Set() };
  transactions.set(client, open);
  open.count += 1;
  try {
    return await run();
  } finally {
    open.count -= 1;
    for (const end of open.onEnd) end();
  }
}

/** Returns how many transactions of `transaction()` are open on this client. */
export function countTransactions(client: object): number {
  return transactions.get(client)?.count ?? 0;
}

/** Resolves when a transaction of `transaction()` on this client ends. @returns also what ends the wait before */
export function nextEnd(client: object): { readonly ended: Promise<void>; readonly cancel: () => void } {
  let cancel = (): void => {};
  const ended = new Promise<void>((resolve) => {
    const onEnd = transactions.get(client)?.onEnd;
    onEnd?.add(resolve);
    cancel = () => void onEnd?.delete(resolve);
  });
  return { ended: ended.finally(cancel), cancel };
}
