import { wholeUnits } from '../delay/jitter.ts';
import { POLICY_KEYS } from '../fields/cures.ts';
import type { Fields, Report } from '../fields/fields.ts';
import { readFields } from '../fields/fields.ts';
import { readSafely } from '../fields/read-options.ts';
import { countFrom } from '../fields/value-rules.ts';
import { read } from '../read.ts';
import type { Backoff, Jitter } from './delays.ts';
import { CAPS } from './delays.ts';
import type { Policy, PolicyInput, PolicyKey, PolicySettings } from './policy.ts';
import { BEYOND_MAX, RETRY_AFTER_MODES } from './policy.ts';
import { readBackoff } from './read-backoff.ts';
import type { Delays } from './read-delays.ts';
import { readDelays } from './read-delays.ts';
import { readServerJitter } from './read-jitter.ts';
import { readGate, readMatchers, readRetryOn } from './read-rules.ts';
import { readRegistry } from './registry.ts';
import { policyOf } from './settings.ts';
import type { Registry } from './strategy.ts';

const DEFAULT_MAX_DELAY_MS = 20_000;

const DEFINED: unique symbol = Symbol.for('@retry/policy');

/**
 * Checks a policy, fills in the defaults and freezes it. A defined policy is returned as it is.
 *
 * @param registry - strategies and gates that the policy refers to by name
 * @throws {InvalidOptionsError} when anything is wrong; it lists every problem with its path, value and cure
 */
export function definePolicy(input: PolicyInput | Policy = {}, registry: Registry = {}): Policy {
  return readSafely(input, 'policy', (report) => {
    const names = readRegistry(registry, report);
    return isPolicy(input) ? input : readInput(input, names, report);
  });
}

let defaults: Policy | undefined;

/** Defines a policy as `definePolicy` does, without a registry. */
export function definePlainPolicy(input?: PolicyInput | Policy): Policy {
  if (input === undefined) {
    defaults ??= definePlainPolicy({});
    return defaults;
  }
  return isPolicy(input) ? input : readSafely(input, 'policy', (report) => readInput(input, {}, report));
}

function readInput(input: unknown, registry: Registry, report: Report): Policy | undefined {
  let isValid = true;
  const onProblem: Report = (problem) => {
    isValid = false;
    report(problem);
  };
  const fields = readFields(input, '', { keys: POLICY_KEYS, report: onProblem });
  if (fields === undefined) return undefined;
  const policy = readPolicy(fields, registry, onProblem);
  // Limits are compared only if all of them could be read: a fallback would cause misleading problems.
  if (isValid) checkDelays(policy, fields);
  if (isValid) checkIdempotent(policy, fields);
  const written = POLICY_KEYS.filter((key) => fields.value(key) !== undefined);
  Object.freeze(Object.defineProperty(policy, DEFINED, { value: Object.freeze(written) }));
  return policyOf(policy);
}

/** Returns whether the value was made by `definePolicy`, also that of another copy of the package. */
export function isPolicy(value: unknown): value is Policy {
  return read(value, DEFINED) !== undefined;
}

/** Returns the keys that the policy was written with; the others have defaults. */
export function writtenKeys(policy: PolicySettings): readonly PolicyKey[] {
  // Set by `readInput`; a policy that `withSettings` changed has none.
  return (read(policy, DEFINED) as readonly PolicyKey[] | undefined) ?? POLICY_KEYS;
}

function readPolicy(fields: Fields, registry: Registry, report: Report): PolicySettings {
  const backoff = readBackoff(fields, registry, report);
  const maxAttempts = fields.number('maxAttempts', 3, countFrom(1, COUNT_CURE));
  const delays = readDelays(fields, { backoff, registry, report });
  const idempotent = fields.choice('idempotent', true, [true, false]);
  return {
    maxAttempts,
    ...delays,
    ...readLimits(fields, defaultMaxDelay(delays)),
    ...readRules(fields, registry, report),
    idempotent,
    attemptTimeoutMs: fields.duration('attemptTimeout', Infinity, MORE_THAN_0),
    totalTimeoutMs: fields.duration('totalTimeout', Infinity, MORE_THAN_0),
    retryTimeouts: fields.choice('retryTimeouts', idempotent, [true, false]),
    retryAfter: readServerDelay(fields, report),
    retryable: fields.choice('retryable', true, [true, false]),
  };
}

const COUNT_CURE = 'It counts the first attempt: use 1 to run once.';

type LimitKey = 'initialDelayMs' | 'minDelayMs' | 'maxDelayMs' | 'capAt' | 'granularityMs';

function readLimits(fields: Fields, longestMs: number): Pick<PolicySettings, LimitKey> {
  return {
    initialDelayMs: fields.duration('initialDelay', 0, { finite: true }),
    minDelayMs: fields.duration('minDelay', 0, { finite: true }),
    maxDelayMs: fields.duration('maxDelay', longestMs),
    capAt: fields.choice('capAt', 'before-jitter', CAPS),
    granularityMs: fields.duration('granularity', 0, {
      accepts: Number.isInteger,
      message: 'must be a whole number of milliseconds ≥ 0',
    }),
  };
}

function readRules(
  fields: Fields,
  registry: Registry,
  report: Report,
): Pick<PolicySettings, 'retryOn' | 'stopOn' | 'retryIf'> {
  const retryIf = readGate(fields, registry);
  return {
    retryOn: readRetryOn(fields, report),
    stopOn: readMatchers(fields, 'stopOn', report),
    ...(retryIf !== undefined && { retryIf }),
  };
}

const MORE_THAN_0 = { accepts: (ms: number): boolean => ms > 0, message: 'must be a duration > 0' };

function readServerDelay(fields: Fields, report: Report): PolicySettings['retryAfter'] {
  const given = fields.value('retryAfter') === undefined ? {} : fields.value('retryAfter');
  const inner = readFields(given, 'retryAfter', { keys: ['max', 'mode', 'beyondMax', 'jitter'], report });
  return Object.freeze({
    maxMs: inner?.duration('max', 60_000) ?? 0,
    mode: inner?.choice('mode', 'floor', RETRY_AFTER_MODES) ?? 'floor',
    beyondMax: inner?.choice('beyondMax', 'stop', BEYOND_MAX) ?? 'stop',
    jitter: readServerJitter(inner, report),
  });
}

/** Returns the default cap, raised to the first delay if that is longer: a constant backoff of '30s' waits 30 s. */
function defaultMaxDelay({ backoff, delays }: Delays): number {
  return Math.max(
    DEFAULT_MAX_DELAY_MS,
    writtenDelay(backoff),
    ...delays.map((entry) => writtenDelay(entry.backoff)),
  );
}

function writtenDelay(backoff: Backoff): number {
  if (backoff.type === 'none') return 0;
  if (backoff.type === 'list') return backoff.delaysMs.reduce((longest, ms) => Math.max(longest, ms), 0);
  const offsetMs = 'offsetMs' in backoff ? (backoff.offsetMs ?? 0) : 0;
  return Math.min(backoff.baseMs + offsetMs, Number.MAX_VALUE);
}

/** Reports an `idempotent: false` that would change nothing: of `'everything'`, no pattern says what may have been applied. */
function checkIdempotent({ idempotent, retryOn }: PolicySettings, fields: Fields): void {
  if (idempotent || retryOn !== 'everything') return;
  const cure = "Import families of '@retry/core/errors': retryOn: [...network, ...http].";
  fields.fail('idempotent', "must not be false where retryOn is 'everything'", cure);
}

function grows(jitter: Jitter): boolean {
  return typeof jitter !== 'string' && 'incrementMs' in jitter && (jitter.incrementMs ?? 0) > 0;
}

/** Reports limits that exclude each other: no delay, or no attempt, could satisfy both. */
function checkDelays(policy: PolicySettings, fields: Fields): void {
  const { minDelayMs, maxDelayMs, granularityMs } = policy;
  const all = [policy, ...policy.delays];
  if (all.some(({ backoff, jitter }) => backoff.type === 'decorrelated' && grows(jitter))) {
    const cure = 'Leave increment out: it grows by itself.';
    fields.fail('jitter', 'must not grow with a decorrelated backoff', cure);
  }
  if (policy.initialDelayMs >= policy.totalTimeoutMs) {
    const message = `must be less than totalTimeout (${policy.totalTimeoutMs} ms)`;
    fields.fail('initialDelay', message, 'Raise totalTimeout: no attempt could start.');
  }
  if (minDelayMs > maxDelayMs) {
    fields.fail(
      'minDelay',
      `must be at most maxDelay (${maxDelayMs} ms)`,
      'Raise maxDelay or lower minDelay.',
    );
  } else if (granularityMs > 0 && wholeUnits(minDelayMs, granularityMs) * granularityMs > maxDelayMs) {
    const cure = 'Make one of them a whole multiple of granularity.';
    fields.fail('granularity', `must have a multiple from minDelay to maxDelay (${maxDelayMs} ms)`, cure);
  }
}

/**
 * The default policy of a task, which should survive outages: 10 attempts, exponential from 1 s ×2 up to 10 minutes, full
 * jitter, a server's delay up to 24 h. The default of a call, whose caller waits, is `definePolicy()`.
 *
 * @see docs/policies.md#defaults
 */
export const TASK_POLICY: PolicyInput = /* @__PURE__ */ Object.freeze({
  maxAttempts: 10,
  backoff: /* @__PURE__ */ Object.freeze({ type: 'exponential', base: '1s', factor: 2 }),
  jitter: 'full',
  maxDelay: '10m',
  retryAfter: /* @__PURE__ */ Object.freeze({ max: '24h' }),
});
