import { fnv1a, partitionTag } from '@retry/core/broker/kit';

/** The partition of an id: the same in every process, and evenly spread. Ids of one tag, as `{order-1}a`, share it. */
export function partitionOf(id: string, partitions: number): number {
  return fnv1a(partitionTag(id)) % partitions;
}

/**
 * Asks each partition about its own items, all at the same time.
 *
 * @returns the answers in the order of the items
 */
export async function askEach<Item, Answer>(
  items: readonly Item[],
  { partitions, idOf }: { readonly partitions: number; readonly idOf: (item: Item) => string },
  ask: (partition: number, items: readonly Item[]) => Promise<readonly Answer[]>,
): Promise<readonly Answer[]> {
  const indexesOf = Array.from({ length: partitions }, (): number[] => []);
  for (const [index, item] of items.entries()) indexesOf[partitionOf(idOf(item), partitions)]?.push(index);
  const answers: Answer[] = [];
  await Promise.all(
    indexesOf.map(async (indexes, partition) => {
      if (indexes.length === 0) return;
      const own = await ask(
        partition,
        indexes.map((index) => items[index] as Item), // an index of this very list
      );
      for (const [at, index] of indexes.entries()) answers[index] = own[at] as Answer; // one for each item
    }),
  );
  return answers;
}
