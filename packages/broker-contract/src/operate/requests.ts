import type { EndRequest, Locked } from '@retry/core/broker';

/** The request that completes a waiting run. */
export function completeByHand(id: string, result = '1'): EndRequest {
  return { id, as: 'completed', result };
}

/** The request that fails a waiting run. */
export function failByHand(id: string): EndRequest {
  return { id, as: 'failed', error: { name: 'OperatorError', message: 'enough', stack: 'at desk' } };
}

/** Acts once more on what another transaction had locked, until nothing is: as whoever is answered so has to do. */
export async function untilUnlocked<Item, Answer>(
  items: readonly Item[],
  act: (items: readonly Item[]) => Promise<readonly (Answer | Locked)[]>,
): Promise<readonly (Answer | Locked)[]> {
  const answers = [...(await act(items))];
  for (let index = answers.indexOf('locked'); index !== -1; index = answers.indexOf('locked'))
    answers.splice(index, 1, ...(await act(items.slice(index, index + 1))));
  return answers;
}
