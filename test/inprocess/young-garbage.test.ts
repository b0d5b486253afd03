import { withRetry } from '@retry/inprocess';
import { expect, it } from 'vitest';
import { collect, oldBytes } from '../support/old-bytes.ts';

const CALLS = 20_000;
const AT_A_TIME = 100;

/** So much of what a call was given, 2 kB, may live for longer than two collections of young objects, in bytes. */
const MOST_BYTES = 200;

/** Makes many calls with one signal, with a collection of young objects now and then, and returns how many bytes became old for each. */
async function agedBytes(signal: AbortSignal): Promise<number> {
  let made = 0;
  const lengthOf = withRetry(
    async (given: readonly number[]) => given.length,
    { maxAttempts: 3 },
    { signal },
  );
  const callInTurn = async (): Promise<void> => {
    while (made < CALLS) {
      made += 1;
      if (made % 1_000 === 0) collect({ type: 'minor' });
      // What is in use now becomes old; nothing that follows may hang on it.
      if (made === 1_000) collect({ type: 'minor' });
      await lengthOf(Array<number>(250).fill(made));
    }
  };
  collect();
  const before = oldBytes();
  await Promise.all(Array.from({ length: AT_A_TIME }, callInTurn));
  return (oldBytes() - before) / CALLS;
}

it('frees calls that have ended without a full collection, though all have one signal', async () => {
  const { signal } = new AbortController();
  await agedBytes(signal); // code, and what is remembered of it, become old once

  const bytes = await agedBytes(signal);

  expect(bytes).toBeLessThan(MOST_BYTES);
});
