import type { BatchSize } from '@retry/core/broker/kit';
import { inBatches } from '@retry/core/broker/kit';

/** The most items of one statement: each call is atomic per run, not per batch. */
const MAX_ITEMS = 500;

/** Answers a batch by one statement after another, a chunk each. Returns the answers in the order of the items. */
export async function inChunks<Item, Answer>(
  items: readonly Item[],
  answer: (chunk: readonly Item[]) => Promise<readonly Answer[]>,
  size: BatchSize<Item> = {},
): Promise<readonly Answer[]> {
  if (items.length === 1) return answer(items);
  const answers: Answer[] = [];
  for (const chunk of inBatches(items, { count: MAX_ITEMS, ...size })) answers.push(...(await answer(chunk)));
  return answers;
}
