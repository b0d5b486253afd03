import type { BatchSize } from './batch.ts';
import { batchLength } from './batch.ts';

/** How calls are gathered. */
interface Gathering<Item> {
  /** Batches that may be on their way at a time: more than one only where they take effect in order. */
  readonly outstanding: 1 | 2;
  /** About how many bytes an item takes. @default next to none */
  readonly bytesOf?: BatchSize<Item>['bytesOf'];
  /** Whether a batch that was rejected with this error would be rejected for ever. @default never */
  readonly isRefusal?: (error: unknown) => boolean;
}

/** So many calls make a second batch worth sending. */
const SECOND_BATCH_FROM = 250;
/** The most that a batch carries; where two are on their way, half of what many callers ask for together. */
const MAX_CALLS = { 1: 1_000, 2: 500 } as const;

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Turns single calls into batches: what is asked while a batch is on its way travels in the next one, as far as its
 * number and its bytes allow. Each promise settles with its own answer. A batch that is refused for good is sent again in
 * halves, so that only the calls that it is refused for are rejected, each with an error about itself.
 */
export function coalesce<Item, Answer>(
  send: (items: readonly Item[]) => Promise<readonly Answer[]>,
  { outstanding, bytesOf, isRefusal = () => false }: Gathering<Item> = { outstanding: 1 },
): (item: Item) => Promise<Answer> {
  const waiting: Waiting<Item, Answer>[] = [];
  const size: BatchSize<Waiting<Item, Answer>> = {
    count: MAX_CALLS[outstanding],
    ...(bytesOf && { bytesOf: ({ item }) => bytesOf(item) }),
  };
  const carry = carrier(send, isRefusal);
  let onTheirWay = 0;

  const sendOn = (): void => {
    while (waiting.length >= (onTheirWay === 0 ? 1 : SECOND_BATCH_FROM) && onTheirWay < outstanding) {
      onTheirWay += 1;
      void carry(waiting.splice(0, batchLength(waiting, size))).then(() => {
        onTheirWay -= 1;
        sendOn();
      });
    }
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // The calls of one turn travel together.
      if (waiting.length === (onTheirWay === 0 ? 1 : SECOND_BATCH_FROM)) queueMicrotask(sendOn);
    });
}

/** Gives a function that sends a batch and settles each of its calls. It never rejects. */
function carrier<Item, Answer>(
  send: (items: readonly Item[]) => Promise<readonly Answer[]>,
  isRefusal: (error: unknown) => boolean,
): (batch: readonly Waiting<Item, Answer>[]) => Promise<void> {
  const carry = async (batch: readonly Waiting<Item, Answer>[]): Promise<void> => {
    try {
      settle(batch, await send(batch.map(({ item }) => item)));
    } catch (error) {
      if (batch.length === 1 || !isRefusal(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      const middle = batch.length >> 1;
      await carry(batch.slice(0, middle));
      await carry(batch.slice(middle));
    }
  };
  return carry;
}

function settle<Item, Answer>(batch: readonly Waiting<Item, Answer>[], answers: readonly Answer[]): void {
  batch.forEach(({ resolve, reject }, index) => {
    if (index in answers)
      resolve(answers[index] as Answer); // it has just been looked for
    else reject(new Error('the broker gave no answer'));
  });
}
