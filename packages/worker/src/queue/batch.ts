import { MAX_BATCH_BYTES } from '@retry/core/broker/kit';

/** The size of one call. */
export interface BatchSize<Item> {
  readonly count: number;
  /** About how many bytes an item takes. @default next to none */
  readonly bytesOf?: (item: Item) => number;
}

/** Returns how many of the first items fit into one call: at most `count` and about 8 MiB, but at least one if there is any. */
export function batchLength<Item>(items: readonly Item[], { count, bytesOf }: BatchSize<Item>): number {
  const maxCount = Math.min(items.length, count);
  if (bytesOf === undefined) return maxCount;
  let bytes = 0;
  for (let index = 0; index < maxCount; index += 1) {
    bytes += bytesOf(items[index] as Item); // index < maxCount ≤ items.length
    if (index > 0 && bytes > MAX_BATCH_BYTES) return index;
  }
  return maxCount;
}

/** Divides items into batches of that size, in their order. */
export function inBatches<Item>(items: readonly Item[], size: BatchSize<Item>): readonly (readonly Item[])[] {
  const batches: (readonly Item[])[] = [];
  for (let from = 0; from < items.length; ) {
    // At most one batch is copied at a time, however long the list.
    const window = items.slice(from, from + size.count);
    const batch = window.slice(0, batchLength(window, size));
    batches.push(batch);
    from += batch.length;
  }
  return batches;
}

/** How single calls are combined. */
interface Coalescing<Item> {
  /** How many batches may be pending at a time: 2 only if they take effect in order. */
  readonly outstanding: 1 | 2;
  /** About how many bytes an item takes. @default next to none */
  readonly bytesOf?: BatchSize<Item>['bytesOf'];
  /** Whether a batch that was rejected with this error would be rejected every time. @default never */
  readonly isRefusal?: (error: unknown) => boolean;
}

/** How many waiting calls make a second batch worth sending. */
const SECOND_BATCH_FROM = 250;
/** The most calls of a batch, by `outstanding`. */
const MAX_CALLS = { 1: 1_000, 2: 500 } as const;

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines single calls into batches: calls that are made while a batch is pending are sent with the next one, as far as
 * count and bytes allow. Each promise settles with its own answer. A batch that is refused for good is sent again in halves, so
 * that only the calls that cause it are rejected, each with its own error.
 */
export function coalesce<Item, Answer>(
  send: (items: readonly Item[]) => Promise<readonly Answer[]>,
  { outstanding, bytesOf, isRefusal = () => false }: Coalescing<Item> = { outstanding: 1 },
): (item: Item) => Promise<Answer> {
  const waiting: Waiting<Item, Answer>[] = [];
  const size: BatchSize<Waiting<Item, Answer>> = {
    count: MAX_CALLS[outstanding],
    ...(bytesOf && { bytesOf: ({ item }) => bytesOf(item) }),
  };
  const sendBatch = createSender(send, isRefusal);
  let pending = 0;

  const sendNext = (): void => {
    while (waiting.length >= (pending === 0 ? 1 : SECOND_BATCH_FROM) && pending < outstanding) {
      pending += 1;
      void sendBatch(waiting.splice(0, batchLength(waiting, size))).then(() => {
        pending -= 1;
        sendNext();
      });
    }
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // Calls of the same turn are sent together.
      if (waiting.length === (pending === 0 ? 1 : SECOND_BATCH_FROM)) queueMicrotask(sendNext);
    });
}

/** Returns a function that sends a batch and settles each of its calls. It never rejects. */
function createSender<Item, Answer>(
  send: (items: readonly Item[]) => Promise<readonly Answer[]>,
  isRefusal: (error: unknown) => boolean,
): (batch: readonly Waiting<Item, Answer>[]) => Promise<void> {
  const sendBatch = async (batch: readonly Waiting<Item, Answer>[]): Promise<void> => {
    try {
      settle(batch, await send(batch.map(({ item }) => item)));
    } catch (error) {
      if (batch.length === 1 || !isRefusal(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      const middle = batch.length >> 1;
      await sendBatch(batch.slice(0, middle));
      await sendBatch(batch.slice(middle));
    }
  };
  return sendBatch;
}

function settle<Item, Answer>(batch: readonly Waiting<Item, Answer>[], answers: readonly Answer[]): void {
  batch.forEach(({ resolve, reject }, index) => {
    if (index in answers)
      resolve(answers[index] as Answer); // its index is present
    else reject(new Error('the broker returned no answer'));
  });
}
