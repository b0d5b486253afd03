/** The longest pause, in ms, before runs are asked for again that another client has locked. */
const MAX_PAUSE_MS = 100;

/**
 * Repeats a call for the items that it leaves unanswered, whose runs another client is moving or settling: their transaction may be
 * a handler's, and keep them locked for long. For callers that have the call to themselves; others ask `withoutWaiting`.
 */
export async function untilUnlocked<Item, Answer>(
  items: readonly Item[],
  ask: (items: readonly Item[]) => Promise<readonly (Answer | undefined)[]>,
): Promise<readonly Answer[]> {
  const answers = new Map<Item, Answer>();
  let left = items;
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const given = await ask(left);
    for (const [index, item] of left.entries()) {
      const answer = given[index];
      if (answer !== undefined) answers.set(item, answer);
    }
    left = left.filter((item) => !answers.has(item));
    if (left.length === 0) return items.flatMap((item) => answers.get(item) ?? []);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
