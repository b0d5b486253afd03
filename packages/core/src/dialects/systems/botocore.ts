import { choice, executions, ignored } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** botocore and boto3: `retries` of a Config. */
export const botocore: System = /* @__PURE__ */ defineSystem({
  name: 'botocore',
  title: 'botocore (boto3)',
  version: '1.29.27',
  fidelity: 'exact',
  remarks: [
    'The retry quota of `standard` is a budget: `{ type: "token-bucket", capacity: 500, costs: { default: 5, timeout: 10 } }`.',
  ],
  options: {
    mode: choice(['legacy', 'standard', 'adaptive'], 'legacy', 'how it retries'),
    max_attempts: executions(NaN, 'all executions; 5 by default, with `standard` 3'),
    total_max_attempts: ignored('the same'),
  },
  policy: ({ mode, max_attempts }) => ({
    maxAttempts: Number.isNaN(max_attempts) ? (mode === 'legacy' ? 5 : 3) : max_attempts,
    backoff: exponential(1_000),
    jitter: 'full',
    maxDelay: mode === 'legacy' ? Infinity : 20_000,
  }),
});
