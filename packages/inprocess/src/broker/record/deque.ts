/** The neighbours of an item of a {@link Deque}. An item is in one deque at a time. */
export interface Linked<Item> {
  previous: Item | undefined;
  next: Item | undefined;
}

/**
 * A linked list with two ends. An item is removed from the middle in constant time, because a run can be cancelled
 * anywhere in its lane.
 */
export interface Deque<Item extends Linked<Item>> {
  first: Item | undefined;
  last: Item | undefined;
  size: number;
}

/** Creates an empty deque. */
export function createDeque<Item extends Linked<Item>>(): Deque<Item> {
  return { first: undefined, last: undefined, size: 0 };
}

/** Puts an item at the back. */
export function pushBack<Item extends Linked<Item>>(deque: Deque<Item>, item: Item): void {
  item.previous = deque.last;
  if (deque.last === undefined) deque.first = item;
  else deque.last.next = item;
  deque.last = item;
  deque.size++;
}

/** Puts an item at the front. */
export function pushFront<Item extends Linked<Item>>(deque: Deque<Item>, item: Item): void {
  item.next = deque.first;
  if (deque.first === undefined) deque.last = item;
  else deque.first.previous = item;
  deque.first = item;
  deque.size++;
}

/** Removes an item. */
export function unlink<Item extends Linked<Item>>(deque: Deque<Item>, item: Item): void {
  if (item.previous === undefined) deque.first = item.next;
  else item.previous.next = item.next;
  if (item.next === undefined) deque.last = item.previous;
  else item.next.previous = item.previous;
  item.previous = undefined;
  item.next = undefined;
  deque.size--;
}

/** Yields every item, front to back; those from one on, if it is given. */
export function* walk<Item extends Linked<Item>>(
  deque: Deque<Item>,
  from: Item | undefined = deque.first,
): Generator<Item> {
  for (let item = from; item !== undefined; item = item.next) yield item;
}
