import { tryRetry } from '@retry/inprocess';
import { createTestClock, seededRandom } from '@retry/inprocess/testing';

const clock = createTestClock();
const policy = { maxAttempts: 4, backoff: { type: 'exponential', base: '1h' }, maxDelay: '1d' } as const;
const failing = () => Promise.reject(new Error('down'));

const ended = tryRetry(failing, policy, { clock, random: seededRandom(7) });
await clock.advance('7h'); // 1 + 2 + 4 hours at most

const result = await ended;
console.log(result.attempts, result.ok ? 'succeeded' : result.reason); // => 4 exhausted
