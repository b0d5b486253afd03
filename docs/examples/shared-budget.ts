import { createRetryBudget, tryRetry } from '@retry/inprocess';

const policy = { maxAttempts: 5, backoff: { type: 'none' } } as const;
const budget = createRetryBudget({ type: 'token-bucket', capacity: 30, costs: { default: 5 } });

/** A dependency that is down. */
const call = () => tryRetry(() => Promise.reject(new Error('down')), policy, { budget });

for (let count = 1; count <= 3; count += 1) {
  const { attempts, ...result } = await call();
  console.log(`call ${count}: ${attempts} attempts,`, result.ok || result.reason);
}
// => call 1: 5 attempts, exhausted
// => call 2: 3 attempts, budget
// => call 3: 1 attempts, budget
