import { NonRetryableError } from '@retry/core';
import { retry } from '@retry/inprocess';

const policy = {
  backoff: { type: 'none' },
  retryOn: [RangeError, { status: [429, 503] }, { cause: { code: 'ECONN*' } }],
  stopOn: [{ message: /quota/ }], // beats retryOn
} as const;

/** Fails with the same error each time and prints why the retrying ended. */
async function giveUp(error: Error): Promise<void> {
  const failing = retry(() => Promise.reject(error), policy, {
    onGiveUp: ({ attempt, reason }) => console.log(`${error.message}: ${reason} after ${attempt}`),
  });
  await failing.catch(() => undefined);
}

await giveUp(new RangeError('too far')); // => too far: exhausted after 3
await giveUp(Object.assign(new Error('busy'), { status: 503 })); // => busy: exhausted after 3
await giveUp(new Error('fetch failed', { cause: { code: 'ECONNRESET' } })); // => fetch failed: exhausted after 3
await giveUp(new RangeError('over quota')); // => over quota: stopped after 1
await giveUp(new NonRetryableError('card declined')); // => card declined: stopped after 1
await giveUp(new TypeError('a bug')); // => a bug: unexpected after 1
