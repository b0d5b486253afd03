/** So many items travel in one statement: each call is atomic per run, not per batch. */
const MOST = 500;

/** Answers a batch a chunk at a time. */
export async function inChunks<Item, Answer>(
  items: readonly Item[],
  answer: (chunk: readonly Item[]) => Promise<readonly Answer[]>,
  most: number = MOST,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (let from = 0; from < items.length; from += most) {
    answers.push(...(await answer(items.slice(from, from + most))));
  }
  return answers;
}

/** The same for ids that may repeat: each is asked for once, and `again` says what its repetitions hear. */
export async function onEachOnce<Answer>(
  ids: readonly string[],
  again: (answer: Answer) => Answer,
  answer: (chunk: readonly string[]) => Promise<readonly Answer[]>,
): Promise<readonly Answer[]> {
  const once = [...new Set(ids)];
  const given = await inChunks(once, answer);
  const answers = new Map(once.map((id, index) => [id, given[index]]));
  return ids.flatMap((id) => {
    const known = answers.get(id);
    if (known === undefined) return [];
    answers.set(id, again(known));
    return [known];
  });
}
