import { MAX_BATCH_BYTES } from '@retry/core/broker';

/** How much one call may carry. */
export interface BatchSize<Item> {
  readonly count: number;
  /** About how many bytes an item takes; absent: next to none. */
  readonly bytesOf?: (item: Item) => number;
}

/** How many of the first items travel in one call: at most `count` and about 8 MiB, and never none while there are any. */
export function batchLength<Item>(items: readonly Item[], { count, bytesOf }: BatchSize<Item>): number {
  const most = Math.min(items.length, count);
  if (bytesOf === undefined) return most;
  let bytes = 0;
  for (let index = 0; index < most; index += 1) {
    bytes += bytesOf(items[index] as Item); // index < most ≤ items.length
    if (index > 0 && bytes > MAX_BATCH_BYTES) return index;
  }
  return most;
}

/** The items in calls of that size, in their order. */
export function inBatches<Item>(items: readonly Item[], size: BatchSize<Item>): readonly (readonly Item[])[] {
  const batches: (readonly Item[])[] = [];
  for (let from = 0; from < items.length; ) {
    // No more than one batch is ever copied, however long the list.
    const window = items.slice(from, from + size.count);
    const batch = window.slice(0, batchLength(window, size));
    batches.push(batch);
    from += batch.length;
  }
  return batches;
}
