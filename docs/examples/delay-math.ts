import { computeDelay, definePolicy, delayBounds } from '@retry/core';

const policy = definePolicy({
  maxAttempts: 6,
  backoff: { type: 'exponential', base: '1s', factor: 2 },
  jitter: 'equal',
  maxDelay: '10s',
});

/** Math.random outside of examples. */
const random = () => 0.5;

for (const retry of [1, 2, 3, 4, 5]) {
  const [minMs, maxMs] = delayBounds(policy, retry);
  console.log(`${retry}: ${minMs} ≤ ${computeDelay(policy, retry, { random })} ≤ ${maxMs}`);
}
// => 1: 500 ≤ 750 ≤ 1000
// => 2: 1000 ≤ 1500 ≤ 2000
// => 3: 2000 ≤ 3000 ≤ 4000
// => 4: 4000 ≤ 6000 ≤ 8000
// => 5: 5000 ≤ 7500 ≤ 10000
