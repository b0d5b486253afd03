/**
 * Turns single calls into batches: what is asked while a batch is on its way travels in the next one. Each
 * promise settles with its own answer.
 */
export function coalesce<Item, Answer>(
  send: (items: readonly Item[]) => Promise<readonly Answer[]>,
): (item: Item) => Promise<Answer> {
  let waiting: {
    readonly item: Item;
    readonly resolve: (answer: Answer) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  let isSending = false;

  const flush = async (): Promise<void> => {
    isSending = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
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
    isSending = false;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // The calls of one turn travel together.
      if (!isSending && waiting.length === 1) queueMicrotask(() => void flush());
    });
}
