import { MAX_BATCH_BYTES } from '@retry/core/broker/kit';

/** Splits a batch into chunks that one call each can carry, in order. There is none without items. */
export function chunksOf<Item>(
  items: readonly Item[],
  bytesOf: (item: Item) => number,
): readonly (readonly Item[])[] {
  if (items.length <= 1) return items.length === 0 ? [] : [items];
  const chunks: Item[][] = [];
  let chunk: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    if (chunk.length === 0 || bytes + size > MAX_BATCH_BYTES) {
      chunk = [];
      chunks.push(chunk);
      bytes = 0;
    }
    chunk.push(item);
    bytes += size;
  }
  return chunks;
}
