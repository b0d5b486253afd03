import { MAX_BATCH_BYTES } from '@retry/core/broker/kit';

/** The most items of one statement: each call is atomic per run, not per batch. */
const MAX_ITEMS = 500;

/** The limits of one statement. */
export interface ChunkLimits<Item> {
  readonly maxItems?: number;
  /** About how many bytes an item takes; by default they are all short. */
  readonly bytesOf?: (item: Item) => number;
  /** What no two items of a chunk have in common: where they would, the second one begins the next chunk. */
  readonly idOf?: (item: Item) => string | undefined;
}

/** Answers a batch by one statement after another, a chunk each. Returns the answers in the order of the items. */
export async function inChunks<Item, Answer>(
  items: readonly Item[],
  answer: (chunk: readonly Item[]) => Promise<readonly Answer[]>,
  limits: ChunkLimits<Item> = {},
): Promise<readonly Answer[]> {
  if (items.length === 1) return answer(items);
  const answers: Answer[] = [];
  for (const chunk of chunksOf(items, limits)) answers.push(...(await answer(chunk)));
  return answers;
}

function* chunksOf<Item>(
  items: readonly Item[],
  { maxItems = MAX_ITEMS, bytesOf = () => 0, idOf = () => undefined }: ChunkLimits<Item>,
): Generator<readonly Item[]> {
  let chunk: Item[] = [];
  let ids = new Set<string>();
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    const id = idOf(item);
    const isFull = chunk.length === maxItems || (chunk.length > 0 && bytes + size > MAX_BATCH_BYTES);
    if (isFull || (id !== undefined && ids.has(id))) {
      yield chunk;
      chunk = [];
      ids = new Set();
      bytes = 0;
    }
    chunk.push(item);
    if (id !== undefined) ids.add(id);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}
