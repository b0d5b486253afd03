import { retryInfo, tryRetry, withRetry } from '@retry/inprocess';

const policy = { maxAttempts: 3, backoff: { type: 'constant', base: '10ms' }, jitter: 'none' } as const;

const result = await tryRetry(({ attempt, stop }) => {
  if (attempt === 2) stop(new Error('card declined'));
  throw new Error('busy');
}, policy);
if (!result.ok) console.log(`${result.error}: ${result.reason} after ${result.attempts}`);
// => Error: card declined: stopped after 2
for (const { attempt, error, delayMs } of result.history) console.log(attempt, `${error}`, delayMs);
// => 1 Error: busy 10
// => 2 Error: card declined undefined

const failing = withRetry(() => Promise.reject(new Error('down')), policy);
const error: unknown = await failing().catch((thrown: unknown) => thrown);
console.log(retryInfo(error)?.attempts, retryInfo(error)?.reason); // => 3 exhausted
