import { executions, factor, group, ignored, span } from '../option.ts';
import { defineSystem, exponential, list, type System } from '../system.ts';

/** gRPC: the `retryPolicy` of a service config. */
export const grpcJs: System = /* @__PURE__ */ defineSystem({
  name: 'grpc-js',
  title: 'gRPC (grpc-js)',
  version: '1.14.7',
  fidelity: 'exact',
  remarks: [
    'At most 5 attempts unless the client raises the limit. The first delay is not capped, the others may be 20 % over `maxBackoff`.',
    'A server may ask for another delay by `grpc-retry-pushback-ms`.',
  ],
  options: {
    retryPolicy: group(
      {
        maxAttempts: executions(1, 'all executions; without a policy there is one'),
        initialBackoff: span('1s', 'the first delay'),
        maxBackoff: span('10s', 'the longest delay before jitter'),
        backoffMultiplier: factor(2, 'what each delay is multiplied by'),
        retryableStatusCodes: ignored('numbers or names of codes; it has to be there'),
      },
      'of a method',
    ),
    'grpc-node.retry_max_attempts_limit': executions(5, 'the highest `maxAttempts`'),
  },
  policy: ({ retryPolicy, 'grpc-node.retry_max_attempts_limit': limit }) => {
    const { initialBackoff, maxBackoff, backoffMultiplier } = retryPolicy;
    const maxAttempts = Math.min(retryPolicy.maxAttempts, limit);
    const isFirstOver = initialBackoff > maxBackoff;
    return {
      maxAttempts,
      jitter: { proportional: 0.2 },
      retryAfter: { mode: 'replace', max: Infinity, jitter: 'none' },
      ...(isFirstOver
        ? { backoff: list([initialBackoff, maxBackoff]) }
        : {
            backoff: exponential(initialBackoff, backoffMultiplier),
            maxDelay: maxBackoff,
            capAt: 'ignores-jitter' as const,
          }),
    };
  },
});
