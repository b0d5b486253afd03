import { type DialectWarning, warnIf } from '../dialect.ts';
import { atLeast, executions, flag, ignored, type Option, value } from '../option.ts';
import { constant, defineSystem, exponential, type System, type SystemPolicy, stepwise } from '../system.ts';
import { asSpan } from '../written-values.ts';

const [DEFAULT_WAIT_MS, DEFAULT_MULTIPLIER, DEFAULT_SPREAD] = [500, 1.5, 0.5];

interface Values {
  readonly maxAttempts: number;
  readonly waitDuration: number | undefined;
  readonly enableExponentialBackoff: boolean;
  readonly exponentialBackoffMultiplier: number | undefined;
  readonly exponentialMaxWaitDuration: number | undefined;
  readonly enableRandomizedWait: boolean;
  readonly randomizedWaitFactor: number | undefined;
}

/** The interval function that its properties choose: some are not read unless others are written. */
function chosen(values: Values) {
  const isTimed = values.waitDuration !== undefined;
  const grows = isTimed && values.enableExponentialBackoff;
  const isDrawn = isTimed && values.enableRandomizedWait;
  const multiplier = values.exponentialBackoffMultiplier;
  const isSpreadRead = isDrawn && (!grows || multiplier !== undefined);
  const isMostRead =
    grows && multiplier !== undefined && (!isDrawn || values.randomizedWaitFactor !== undefined);
  return {
    firstMs: values.waitDuration ?? DEFAULT_WAIT_MS,
    factor: grows ? (multiplier ?? DEFAULT_MULTIPLIER) : 1,
    spread: isDrawn ? ((isSpreadRead ? values.randomizedWaitFactor : undefined) ?? DEFAULT_SPREAD) : 0,
    maxMs: isMostRead ? (values.exponentialMaxWaitDuration ?? Infinity) : Infinity,
    isSpreadRead,
    isMostRead,
  };
}

function policyOf(values: Values): SystemPolicy {
  const { firstMs, factor, spread, maxMs } = chosen(values);
  const isWhole = Number.isInteger(factor);
  return {
    maxAttempts: values.maxAttempts,
    backoff:
      factor === 1
        ? constant(firstMs)
        : isWhole
          ? exponential(firstMs, factor)
          : // Each delay is made whole before the next one is computed of it.
            stepwise(firstMs, (ms) => Math.trunc(ms * factor)),
    jitter: spread > 0 ? { proportional: spread } : 'none',
    maxDelay: maxMs,
    capAt: 'after-jitter',
  };
}

function unread(path: string, cure: string): DialectWarning {
  return { code: 'WITHOUT_EFFECT', path, message: `${path} is not read there in this combination`, cure };
}

function optional(
  parse: (given: unknown) => number | undefined,
  rule: { unit: string; must: string; shown: string },
  meaning: string,
): Option<number | undefined> {
  return value<number | undefined>({ ...rule, parse }, undefined, meaning);
}

function asFactor(given: unknown): number | undefined {
  return typeof given === 'number' && Number.isFinite(given) && given >= 0 ? given : undefined;
}

function asShare(given: unknown): number | undefined {
  const share = asFactor(given);
  return share !== undefined && share <= 1 ? share : undefined;
}

/** resilience4j: its RetryConfig, by the names of its properties. */
export const resilience4j: System = /* @__PURE__ */ defineSystem({
  name: 'resilience4j',
  title: 'resilience4j',
  version: '2.3',
  documentation: {
    source: 'IntervalFunction.java and CommonRetryConfigurationProperties.java',
    readOn: '2026-11-28',
  },
  fidelity: 'exact',
  remarks: [
    'A delay is drawn before it is cut at the longest one.',
    'Without `waitDuration` neither growth nor jitter is read, and without `exponentialBackoffMultiplier` no longest delay.',
  ],
  options: {
    maxAttempts: atLeast(1, executions(3, 'all executions')),
    waitDuration: optional(
      asSpan,
      { unit: 'text', must: 'a length of time like "500ms"', shown: '500ms' },
      'the first delay',
    ),
    enableExponentialBackoff: flag(false, 'whether the delay grows'),
    exponentialBackoffMultiplier: optional(
      asFactor,
      { unit: 'factor', must: 'a finite number ≥ 0', shown: '1.5' },
      'what each delay is multiplied by',
    ),
    exponentialMaxWaitDuration: optional(
      asSpan,
      { unit: 'text', must: 'a length of time like "30s"', shown: 'no limit' },
      'the longest delay',
    ),
    enableRandomizedWait: flag(false, 'whether a delay is drawn'),
    randomizedWaitFactor: optional(
      asShare,
      { unit: 'share', must: 'a number from 0 to 1', shown: '0.5' },
      'by what part of itself a delay may be shorter or longer',
    ),
    retryExceptions: ignored('exceptions'),
    ignoreExceptions: ignored('exceptions'),
  },
  policy: policyOf,
  warnings: (values) => {
    const { isSpreadRead, isMostRead } = chosen(values);
    const isUntimed =
      values.waitDuration === undefined && (values.enableExponentialBackoff || values.enableRandomizedWait);
    return [
      warnIf(
        isUntimed,
        unread(
          values.enableExponentialBackoff ? 'enableExponentialBackoff' : 'enableRandomizedWait',
          'Write waitDuration, too.',
        ),
      ),
      warnIf(
        values.exponentialMaxWaitDuration !== undefined && !isMostRead,
        unread(
          'exponentialMaxWaitDuration',
          'Write waitDuration, exponentialBackoffMultiplier and, with jitter, randomizedWaitFactor, too.',
        ),
      ),
      warnIf(
        values.randomizedWaitFactor !== undefined && values.enableRandomizedWait && !isSpreadRead,
        unread('randomizedWaitFactor', 'Write exponentialBackoffMultiplier, too.'),
      ),
    ];
  },
});
