/** The events of a virtual world in the order of their instants. It owns the time: no clock is read. */
export interface EventQueue {
  /** Returns the virtual time in milliseconds, `0 ≤ ms`. */
  readonly now: () => number;
  /** Schedules an event, `delayMs ≥ 0` from now. Of events at one instant, the one scheduled first comes first. */
  readonly after: (delayMs: number, act: () => void) => void;
  /**
   * Runs the events until none is left, or until the next one is later than `endMs`.
   *
   * @returns whether they were at most `maxEvents`, after which it stops
   */
  readonly runUntil: (endMs: number, maxEvents?: number) => boolean;
}

interface Scheduled {
  readonly at: number;
  /** Counts up: a total order, so that a seed has one result on every engine. */
  readonly order: number;
  readonly act: () => void;
}

/** Creates an empty queue at the instant 0. */
export function createEventQueue(): EventQueue {
  const heap: Scheduled[] = [];
  let now = 0;
  let order = 0;
  return {
    now: () => now,
    after: (delayMs, act) => {
      order += 1;
      push(heap, { at: now + delayMs, order, act });
    },
    runUntil: (endMs, maxEvents = Infinity) => {
      let left = maxEvents;
      for (let next = heap[0]; next !== undefined && next.at <= endMs; next = heap[0]) {
        if (left === 0) return false;
        left -= 1;
        removeFirst(heap);
        now = next.at;
        next.act();
      }
      return true;
    },
  };
}

function isBefore(one: Scheduled, other: Scheduled): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

function push(heap: Scheduled[], added: Scheduled): void {
  let index = heap.length;
  heap.push(added);
  while (index > 0) {
    const above = (index - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || isBefore(parent, added)) break;
    heap[index] = parent;
    index = above;
  }
  heap[index] = added;
}

function removeFirst(heap: Scheduled[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    let below = left;
    let first = heap[left];
    const other = heap[left + 1];
    if (first !== undefined && other !== undefined && isBefore(other, first)) {
      below = left + 1;
      first = other;
    }
    if (first === undefined || isBefore(last, first)) break;
    heap[index] = first;
    index = below;
  }
  heap[index] = last;
}
