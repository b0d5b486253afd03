import { retry } from '@retry/inprocess';

const policy = { maxAttempts: 3, backoff: { type: 'constant', base: '10ms' } } as const;

const answer = await retry(({ attempt, maxAttempts, isLast, previousError }) => {
  console.log(`attempt ${attempt} of ${maxAttempts} after ${previousError}`);
  // => attempt 1 of 3 after undefined
  // => attempt 2 of 3 after Error: busy
  // => attempt 3 of 3 after Error: busy
  if (!isLast) throw new Error('busy');
  return 42;
}, policy);

console.log(answer); // => 42
