import { atLeast, executions, group, span, value } from '../option.ts';
import { defineSystem, exponential, list, type System } from '../system.ts';

/** The statuses of gRPC that are errors, by their numbers from 1. */
export const GRPC_ERRORS: readonly string[] = /* @__PURE__ */ (
  'CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED ' +
  'FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED'
).split(' ');

function asCodes(written: unknown): readonly unknown[] | undefined {
  return Array.isArray(written) && written.length > 0 && written.every(isCode) ? written : undefined;
}

function isCode(written: unknown): boolean {
  if (typeof written !== 'string')
    return Number.isInteger(written) && ['OK', ...GRPC_ERRORS][Number(written)] !== undefined;
  return ['OK', ...GRPC_ERRORS].includes(written.toUpperCase());
}

function asMultiplier(written: unknown): number | undefined {
  return typeof written === 'number' && written > 0 && written < Infinity ? written : undefined;
}

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
        maxAttempts: atLeast(2, executions(1, 'all executions; without a policy there is one')),
        initialBackoff: span('1s', 'the first delay'),
        maxBackoff: span('10s', 'the longest delay before jitter'),
        backoffMultiplier: value<number>(
          { unit: 'factor', parse: asMultiplier, must: 'a finite number > 0' },
          2,
          'what each delay is multiplied by',
        ),
        retryableStatusCodes: value<unknown>(
          {
            unit: 'list',
            parse: asCodes,
            must: 'a list of numbers from 0 to 16 or names of codes, not empty',
          },
          undefined,
          'the codes that are retried; they do not change the delays',
        ),
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
