import type { Run } from '../../run.ts';
import { MAX_BATCH_BYTES, runBytes } from './sizes.ts';

/** What one call carries. */
export interface BatchSize<Item> {
  /** The most items. @default any number */
  readonly count?: number;
  /** About how many bytes an item takes. @default next to none */
  readonly bytesOf?: (item: Item) => number;
  /** @default 8 MiB */
  readonly maxBytes?: number;
  /** What no two items of a batch have in common: where they would, the second one begins the next batch. */
  readonly idOf?: (item: Item) => string | undefined;
}

/** Returns how many items from this index on fit into one call, at least one if there is any. */
export function batchLength<Item>(
  items: readonly Item[],
  { count = Infinity, bytesOf, maxBytes = MAX_BATCH_BYTES, idOf }: BatchSize<Item>,
  from = 0,
): number {
  const maxCount = Math.min(items.length - from, count);
  if (bytesOf === undefined && idOf === undefined) return maxCount;
  const ids = idOf && new Set<string>();
  let bytes = 0;
  for (let index = 0; index < maxCount; index += 1) {
    const item = items[from + index] as Item; // from + index < items.length
    const id = idOf?.(item);
    bytes += bytesOf?.(item) ?? 0;
    if (index > 0 && (bytes > maxBytes || (id !== undefined && ids?.has(id)))) return index;
    if (id !== undefined) ids?.add(id);
  }
  return maxCount;
}

/** Divides items into batches of that size, in their order. There is none without items. */
export function inBatches<Item>(items: readonly Item[], size: BatchSize<Item>): readonly (readonly Item[])[] {
  const batches: (readonly Item[])[] = [];
  for (let from = 0; from < items.length; ) {
    const batch = items.slice(from, from + batchLength(items, size, from));
    batches.push(batch);
    from += batch.length;
  }
  return batches;
}

/** Returns the leading runs that fit into one batch, at least one. */
export function sizedPage<Kept extends Run>(runs: readonly Kept[]): readonly Kept[] {
  return runs.slice(0, batchLength(runs, { bytesOf: runBytes }));
}
