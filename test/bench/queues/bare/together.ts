/** What one call carries, at most. */
const MOST = { items: 500, bytes: 2 ** 20 };
const CALLS = 2;

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Sends together what is submitted while two calls are under way; each promise resolves when its item is stored. */
export function together<Item>(
  send: (items: readonly Item[]) => Promise<unknown>,
  bytesOf: (item: Item) => number,
): (item: Item) => Promise<void> {
  const waiting: Waiting<Item>[] = [];
  let underWay = 0;
  let isScheduled = false;
  const sendSome = async (): Promise<void> => {
    const share = Math.ceil(waiting.length / (CALLS - underWay));
    const calls = waiting.splice(0, fitting(waiting, share, bytesOf));
    underWay += 1;
    try {
      await send(calls.map(({ item }) => item));
      for (const { resolve } of calls) resolve();
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
    underWay -= 1;
    schedule();
  };
  const schedule = (): void => {
    if (isScheduled || underWay === CALLS || waiting.length === 0) return;
    isScheduled = true;
    queueMicrotask(() => {
      isScheduled = false;
      while (underWay < CALLS && waiting.length > 0) void sendSome();
    });
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
}

function fitting<Item>(
  waiting: readonly Waiting<Item>[],
  most: number,
  bytesOf: (item: Item) => number,
): number {
  let [count, bytes] = [0, 0];
  for (const { item } of waiting) {
    bytes += bytesOf(item);
    if (count > 0 && (count === Math.min(most, MOST.items) || bytes > MOST.bytes)) break;
    count += 1;
  }
  return count;
}
