/** The order of an item of a {@link Heap}. An item is in one heap at a time. */
export interface Ranked {
  /** The heap is ordered by it; changed by {@link rerank} only. */
  rank: number;
  /** Decides between equal ranks. */
  order: number;
  /** The item's index in the heap; set by the heap only. */
  index: number;
}

/**
 * A binary heap whose smallest item comes first. Items know their index, so that any of them is removed or moved in
 * logarithmic time.
 */
export type Heap<Item extends Ranked> = Item[];

/** Puts an item in by its rank and order. */
export function push<Item extends Ranked>(heap: Heap<Item>, item: Item): void {
  heap.push(item);
  rise(heap, item, heap.length - 1);
}

/** Removes an item. */
export function remove<Item extends Ranked>(heap: Heap<Item>, item: Item): void {
  const last = heap.pop();
  if (last === undefined || last === item) return;
  replace(heap, last, item.index);
}

/** Moves an item to where its new rank belongs. */
export function rerank<Item extends Ranked>(heap: Heap<Item>, item: Item, rank: number): void {
  item.rank = rank;
  replace(heap, item, item.index);
}

/** Returns the smallest items up to a rank that match, smallest first, at most `limit`; they stay in the heap. */
export function peekUpTo<Item extends Ranked>(
  heap: Heap<Item>,
  { rank, limit }: { readonly rank: number; readonly limit: number },
  matches: (item: Item) => boolean,
): Item[] {
  const taken: Item[] = [];
  const found: Item[] = [];
  for (let top = heap[0]; top !== undefined && top.rank <= rank && found.length < limit; top = heap[0]) {
    taken.push(top);
    if (matches(top)) found.push(top);
    remove(heap, top);
  }
  for (const item of taken) push(heap, item);
  return found;
}

/** Returns the number of items up to a rank, at most `limit`. */
export function countUpTo<Item extends Ranked>(heap: Heap<Item>, rank: number, limit: number): number {
  let counted = 0;
  // No item is smaller than its parent: the children of one that is too large are not visited.
  for (const open = [0]; open.length > 0 && counted < limit; ) {
    const index = open.pop() ?? 0;
    const item = heap[index];
    if (item === undefined || item.rank > rank) continue;
    counted += 1;
    open.push(2 * index + 1, 2 * index + 2);
  }
  return counted;
}

/** Returns whether `left` comes before `right`. */
function isBefore(left: Ranked, right: Ranked): boolean {
  return left.rank === right.rank ? left.order < right.order : left.rank < right.rank;
}

function replace<Item extends Ranked>(heap: Heap<Item>, item: Item, index: number): void {
  rise(heap, item, index);
  sink(heap, item, item.index);
}

function rise<Item extends Ranked>(heap: Heap<Item>, item: Item, from: number): void {
  let index = from;
  while (index > 0) {
    const above = (index - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || !isBefore(item, parent)) break;
    put(heap, parent, index);
    index = above;
  }
  put(heap, item, index);
}

function sink<Item extends Ranked>(heap: Heap<Item>, item: Item, from: number): void {
  let index = from;
  for (let child = smallerChild(heap, index); child !== undefined; child = smallerChild(heap, index)) {
    if (!isBefore(child, item)) break;
    const below = child.index;
    put(heap, child, index);
    index = below;
  }
  put(heap, item, index);
}

function smallerChild<Item extends Ranked>(heap: Heap<Item>, index: number): Item | undefined {
  const left = heap[2 * index + 1];
  const right = heap[2 * index + 2];
  return left !== undefined && right !== undefined && isBefore(right, left) ? right : left;
}

function put<Item extends Ranked>(heap: Heap<Item>, item: Item, index: number): void {
  heap[index] = item;
  item.index = index;
}
