import type { Locked } from '@retry/core/broker';
import type { BatchSize } from '@retry/core/broker/kit';
import { batchLength } from '@retry/core/broker/kit';
import { halves } from '../halves.ts';
import { createLines } from './lines.ts';
import { createLockedSender } from './locked.ts';

/** How single calls are combined. */
interface Coalescing<Item> {
  /** How many batches may be pending at a time: 2 only if they take effect in order. */
  readonly outstanding: 1 | 2;
  /** About how many bytes an item takes. @default next to none */
  readonly bytesOf?: BatchSize<Item>['bytesOf'];
  /** Whether a batch that was rejected with this error would be rejected every time. @default never */
  readonly isRefusal?: (error: unknown) => boolean;
  /**
   * Returns what keeps calls in their order: of those with the same text, later ones wait while one of them is locked. Those of a batch
   * must be locked together.
   *
   * @default none waits
   */
  readonly orderBy?: (item: Item) => string | undefined;
}

/** Sends items by one call; an item that is answered `locked` waits for another client's transaction, and is sent again. */
type Send<Item, Answer> = (items: readonly Item[]) => Promise<readonly (Answer | Locked)[]>;

/** How many waiting calls, or bytes of them, make a second batch worth sending while another is pending. */
const SECOND_BATCH = { calls: 250, bytes: 65_536 } as const;
/** Where two batches may be pending and none is, that many calls are sent as two: the sender prepares one while the other travels. */
const HALVES_FROM = 32;
/** The most calls of a batch, by `outstanding`. */
const MAX_CALLS = { 1: 1_000, 2: 500 } as const;
/** The most bytes of a batch of several calls: the sender makes the next texts while a larger one would still be read. */
const MAX_BYTES = 1_048_576;

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly bytes: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines single calls into batches: calls that are made while a batch is pending are sent with the next one, as far as
 * count and bytes allow. Each promise settles with its own answer. A batch that is refused for good is sent again in halves, so
 * that only the calls that cause it are rejected, each with its own error. Calls that are answered `locked` are sent again, and hold
 * up no other call.
 */
export function coalesce<Item, Answer>(
  send: Send<Item, Answer>,
  { outstanding, bytesOf, isRefusal = () => false, orderBy = () => undefined }: Coalescing<Item> = {
    outstanding: 1,
  },
): (item: Item) => Promise<Answer> {
  const backlog = createBacklog<Waiting<Item, Answer>>(MAX_CALLS[outstanding]);
  const sendBatch = createSender(send, { isRefusal, orderBy });
  let pending = 0;
  let isScheduled = false;

  const isDue = (): boolean =>
    pending === 0 ? backlog.count() > 0 : pending < outstanding && backlog.isLong();
  const sendFirst = (most: number): void => {
    pending += 1;
    void sendBatch(backlog.take(most)).then(() => {
      pending -= 1;
      sendNext();
    });
  };
  const sendNext = (): void => {
    isScheduled = false;
    if (outstanding === 2 && pending === 0 && backlog.count() >= HALVES_FROM) {
      sendFirst(backlog.count() >> 1);
      sendFirst(backlog.count());
    }
    while (isDue()) sendFirst(backlog.count());
  };
  const schedule = (): void => {
    if (isScheduled || !isDue()) return;
    // Calls of the same turn are sent together.
    isScheduled = true;
    queueMicrotask(sendNext);
  };
  return (item) =>
    new Promise((resolve, reject) => {
      backlog.add({ item, bytes: bytesOf?.(item) ?? 0, resolve, reject });
      schedule();
    });
}

/** Calls that wait to be sent. */
interface Backlog<Call> {
  readonly add: (call: Call) => void;
  /** Removes and returns the first calls that one batch carries, at most `most` of them. */
  readonly take: (most: number) => readonly Call[];
  readonly count: () => number;
  /** Whether it is worth a second batch. */
  readonly isLong: () => boolean;
}

function createBacklog<Call extends { readonly bytes: number }>(maxCalls: number): Backlog<Call> {
  const calls: Call[] = [];
  const size: BatchSize<Call> = { count: maxCalls, maxBytes: MAX_BYTES, bytesOf: ({ bytes }) => bytes };
  let totalBytes = 0;
  return {
    add: (call) => {
      calls.push(call);
      totalBytes += call.bytes;
    },
    take: (most) => {
      const taken = calls.splice(0, Math.min(most, batchLength(calls, size)));
      for (const { bytes } of taken) totalBytes -= bytes;
      return taken;
    },
    count: () => calls.length,
    isLong: () => calls.length >= SECOND_BATCH.calls || totalBytes >= SECOND_BATCH.bytes,
  };
}

/** Returns a function that sends a batch and settles each of its calls. It never rejects. */
function createSender<Item, Answer>(
  send: Send<Item, Answer>,
  { isRefusal, orderBy }: Required<Pick<Coalescing<Item>, 'isRefusal' | 'orderBy'>>,
): (batch: readonly Waiting<Item, Answer>[]) => Promise<void> {
  const sendLocked = createLockedSender<Waiting<Item, Answer>>((batch) => sendOnce(batch));
  const sendOnce = async (
    batch: readonly Waiting<Item, Answer>[],
  ): Promise<readonly Waiting<Item, Answer>[]> => {
    try {
      return settle(batch, await send(batch.map(({ item }) => item)));
    } catch (error) {
      if (batch.length === 1 || !isRefusal(error)) {
        for (const { reject } of batch) reject(error);
        return [];
      }
      const [first, second] = halves(batch);
      return [...(await sendOnce(first)), ...(await sendOnce(second))];
    }
  };
  const lines = createLines<Waiting<Item, Answer>>({
    keyOf: ({ item }) => orderBy(item),
    send: (call) => sendLocked([call]),
    onSettled: notifying,
  });
  return async (batch) => {
    const sent = batch.filter((call) => !lines.join(call));
    if (sent.length === 0) return;
    const locked = lines.begin(await sendOnce(sent));
    if (locked.length > 0) sendLocked(locked);
  };
}

/** Returns the same call, which also calls `onSettled` once it is settled. */
function notifying<Item, Answer>(call: Waiting<Item, Answer>, onSettled: () => void): Waiting<Item, Answer> {
  return {
    ...call,
    resolve: (answer) => {
      call.resolve(answer);
      onSettled();
    },
    reject: (error) => {
      call.reject(error);
      onSettled();
    },
  };
}

/** Settles the calls that have an answer, and returns those that are locked. */
function settle<Item, Answer>(
  batch: readonly Waiting<Item, Answer>[],
  answers: readonly (Answer | Locked)[],
): readonly Waiting<Item, Answer>[] {
  return batch.filter(({ resolve, reject }, index) => {
    const answer = answers[index];
    if (answer === 'locked') return true;
    if (index < answers.length)
      resolve(answer as Answer); // its index is present
    else reject(new Error('the broker returned no answer'));
    return false;
  });
}
