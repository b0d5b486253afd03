import { MAX_BATCH_BYTES } from '@retry/core/broker/kit';

/** The size of one call. */
export interface BatchSize<Item> {
  readonly count: number;
  /** About how many bytes an item takes. @default next to none */
  readonly bytesOf?: (item: Item) => number;
  /** @default 8 MiB */
  readonly maxBytes?: number;
}

/** Returns how many of the first items fit into one call, at least one if there is any. */
export function batchLength<Item>(
  items: readonly Item[],
  { count, bytesOf, maxBytes = MAX_BATCH_BYTES }: BatchSize<Item>,
): number {
  const maxCount = Math.min(items.length, count);
  if (bytesOf === undefined) return maxCount;
  let bytes = 0;
  for (let index = 0; index < maxCount; index += 1) {
    bytes += bytesOf(items[index] as Item); // index < maxCount ≤ items.length
    if (index > 0 && bytes > maxBytes) return index;
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

/** Returns both halves of a list; the first one is longer, if they differ. */
export function halves<Item>(items: readonly Item[]): readonly [readonly Item[], readonly Item[]] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}
