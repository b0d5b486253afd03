import { retry } from '@retry/inprocess';

const controller = new AbortController();
const { signal } = controller;

/** Waits a minute between attempts, without a limit. */
const patient = retry(
  () => Promise.reject(new Error('still down')),
  { maxAttempts: 'Infinity', backoff: { type: 'constant', base: '1m' }, jitter: 'none', maxDelay: '1m' },
  { signal, onRetry: ({ delayMs }) => console.log(`waiting ${delayMs} ms`) }, // => waiting 60000 ms
);

setTimeout(() => controller.abort(new Error('the user left')), 20);

await patient.catch((error: unknown) => console.log(String(error))); // => Error: the user left
