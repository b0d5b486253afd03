/** What an item of a {@link Heap} carries. It stands in one heap at a time. */
export interface Ranked {
  /** What the heap is ordered by; changed by {@link rerank} only. */
  rank: number;
  /** Decides between equal ranks. */
  order: number;
  /** Where in the heap it stands; the heap's own. */
  index: number;
}

/**
 * A binary heap whose smallest item comes first. Items know their place, so that any of them is taken out or
 * moved in logarithmic time.
 */
export type Heap<Item extends Ranked> = Item[];

/** Puts an item in by its rank and order. */
export function push<Item extends Ranked>(heap: Heap<Item>, item: Item): void {
  heap.push(item);
  rise(heap, item, heap.length - 1);
}

/** Takes an item out, wherever it stands. */
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

/** The smallest items up to a rank that are meant, smallest first, at most `limit`; they stay in the heap. */
export function peekUpTo<Item extends Ranked>(
  heap: Heap<Item>,
  { rank, limit }: { readonly rank: number; readonly limit: number },
  isMeant: (item: Item) => boolean,
): Item[] {
  const taken: Item[] = [];
  const found: Item[] = [];
  for (let top = heap[0]; top !== undefined && top.rank <= rank && found.length < limit; top = heap[0]) {
    taken.push(top);
    if (isMeant(top)) found.push(top);
    remove(heap, top);
  }
  for (const item of taken) push(heap, item);
  return found;
}

/** How many items there are up to a rank, counted no further than `limit`. */
export function countUpTo<Item extends Ranked>(heap: Heap<Item>, rank: number, limit: number): number {
  let counted = 0;
  // No item is smaller than the one above it: beneath one that is too large, none is looked at.
  for (const open = [0]; open.length > 0 && counted < limit; ) {
    const index = open.pop() ?? 0;
    const item = heap[index];
    if (item === undefined || item.rank > rank) continue;
    counted += 1;
    open.push(2 * index + 1, 2 * index + 2);
  }
  return counted;
}

/** Whether `left` comes before `right`. */
export function isBefore(left: Ranked, right: Ranked): boolean {
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
