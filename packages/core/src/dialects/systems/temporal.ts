import { warnIf } from '../dialect.ts';
import { factor, ignored, span, value } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';
import { asTries } from '../texts.ts';
import { asSpan } from '../written-values.ts';

/** Temporal: the RetryPolicy of an activity. */
export const temporal: System = /* @__PURE__ */ defineSystem({
  name: 'temporal',
  title: 'Temporal',
  version: 'server 1.29',
  documentation: {
    source: 'retry.go and retry_policy.go of its server',
    readOn: '2026-11-28',
  },
  fidelity: 'exact',
  remarks: ['An `ApplicationFailure` may say its own `nextRetryDelay`, in place of that of the policy.'],
  options: {
    initialInterval: span('1s', 'the first delay; 0 is the default, too'),
    backoffCoefficient: factor(2, 'what each delay is multiplied by'),
    maximumInterval: value(
      { unit: 'text', parse: asSpan, must: 'a length of time like "100s"' },
      undefined,
      'the longest delay; 100 times the first if it is left out',
    ),
    maximumAttempts: value(
      { unit: 'executions', parse: asTries, must: 'a number of executions; 0: no limit', shown: '0' },
      Infinity,
      'all executions; 0: no limit',
    ),
    nonRetryableErrorTypes: ignored('names of errors'),
  },
  policy: ({ initialInterval: written, backoffCoefficient, maximumInterval, maximumAttempts }) => {
    const initialInterval = written || 1_000;
    return {
      maxAttempts: maximumAttempts,
      backoff: exponential(initialInterval, backoffCoefficient || 2),
      maxDelay: maximumInterval || 100 * initialInterval,
    };
  },
  warnings: ({ initialInterval, backoffCoefficient, maximumInterval }) => [
    warnIf(backoffCoefficient > 0 && backoffCoefficient < 1, {
      code: 'OUT_OF_RANGE',
      path: 'backoffCoefficient',
      message: 'a coefficient below 1 is refused there',
      cure: 'Use 1 for a constant delay.',
    }),
    warnIf((maximumInterval || Infinity) < initialInterval, {
      code: 'OUT_OF_RANGE',
      path: 'maximumInterval',
      message: 'an interval that is shorter than initialInterval is refused there',
      cure: 'Use at least initialInterval.',
    }),
  ],
});
