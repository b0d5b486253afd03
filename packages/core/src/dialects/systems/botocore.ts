import { choice, executions, retries } from '../option.ts';
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
    max_attempts: retries(
      NaN,
      'requests after the first; in `AWS_MAX_ATTEMPTS` and in the file of the configuration, all requests',
    ),
    total_max_attempts: executions(
      NaN,
      'all requests; 5 by default, with `standard` 3; before `max_attempts`',
    ),
  },
  policy: ({ mode, max_attempts, total_max_attempts }) => ({
    maxAttempts:
      [total_max_attempts, max_attempts].find((count) => !Number.isNaN(count)) ?? (mode === 'legacy' ? 5 : 3),
    backoff: exponential(1_000),
    jitter: 'full',
    maxDelay: mode === 'legacy' ? Infinity : 20_000,
  }),
});
