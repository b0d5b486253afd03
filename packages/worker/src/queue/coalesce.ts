/** How calls are gathered. */
interface Gathering {
  /** Batches that may be on their way at a time: more than one only where they take effect in order. */
  readonly outstanding: 1 | 2;
}

/** So many calls make a second batch worth sending. */
const MUCH = 250;
/** The most that one of two batches carries: half of what many callers at once ask for. */
const MOST = 500;

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Turns single calls into batches: what is asked while a batch is on its way travels in the next one. Each
 * promise settles with its own answer.
 */
export function coalesce<Item, Answer>(
  send: (items: readonly Item[]) => Promise<readonly Answer[]>,
  { outstanding }: Gathering = { outstanding: 1 },
): (item: Item) => Promise<Answer> {
  let waiting: Waiting<Item, Answer>[] = [];
  let onTheirWay = 0;

  const sendOn = (): void => {
    while (waiting.length >= (onTheirWay === 0 ? 1 : MUCH) && onTheirWay < outstanding) {
      const batch = outstanding === 1 ? waiting : waiting.slice(0, MOST);
      waiting = waiting.slice(batch.length);
      onTheirWay += 1;
      void carry(send, batch).then(() => {
        onTheirWay -= 1;
        sendOn();
      });
    }
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // The calls of one turn travel together.
      if (waiting.length === (onTheirWay === 0 ? 1 : MUCH)) queueMicrotask(sendOn);
    });
}

/** Sends a batch and settles each of its calls. Never rejects. */
async function carry<Item, Answer>(
  send: (items: readonly Item[]) => Promise<readonly Answer[]>,
  batch: readonly Waiting<Item, Answer>[],
): Promise<void> {
  try {
    const answers = await send(batch.map(({ item }) => item));
    batch.forEach(({ resolve, reject }, index) => {
      if (index in answers)
        resolve(answers[index] as Answer); // it has just been looked for
      else reject(new Error('the broker gave no answer'));
    });
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
