import { read } from '../read.ts';
import { POLICY_KEYS } from './cures.ts';
import { checkDelays, defaultMaxDelay } from './delay-limits.ts';
import type { Fields, Report } from './fields.ts';
import { readFields, readSafely } from './fields.ts';
import type { Backoff, CapAt, Policy, PolicyInput, Registry, RetryAfterMode } from './policy.ts';
import { readBackoff } from './read-backoff.ts';
import { readGate } from './read-gate.ts';
import { readJitter } from './read-jitter.ts';
import { readMatchers } from './read-matchers.ts';
import { readRegistry } from './read-registry.ts';

const CAPS: readonly CapAt[] = ['before-jitter', 'after-jitter', 'ignores-jitter'];
const MODES: readonly RetryAfterMode[] = ['floor', 'replace', 'ignore'];

const DEFINED: unique symbol = Symbol.for('@retry/policy');

/**
 * Checks a policy once, fills in the defaults and freezes it. A policy that is already defined comes back
 * as it is.
 *
 * @param registry - strategies and gates that the policy refers to by name
 * @throws {InvalidOptionsError} when anything is wrong; it lists every problem with its path, value and cure
 */
export function definePolicy(input: PolicyInput | Policy = {}, registry: Registry = {}): Policy {
  return isPolicy(input)
    ? input
    : readSafely(input, 'policy', (report) => readInput(input, registry, report));
}

function readInput(input: unknown, registry: Registry, report: Report): Policy | undefined {
  let isSound = true;
  const note: Report = (problem) => {
    isSound = false;
    report(problem);
  };
  const fields = readFields(input, '', { keys: POLICY_KEYS, report: note });
  const names = readRegistry(registry, note);
  if (fields === undefined) return undefined;
  const policy = readPolicy(fields, names, note);
  // A limit that could not be read would only be blamed for the one that was.
  if (isSound) checkDelays(policy, fields);
  const written = POLICY_KEYS.filter((key) => fields.value(key) !== undefined);
  return Object.freeze(Object.defineProperty(policy, DEFINED, { value: Object.freeze(written) }));
}

/** Whether the value was made by `definePolicy`, whichever copy of the package made it. */
export function isPolicy(value: unknown): value is Policy {
  return read(value, DEFINED) !== undefined;
}

/** The keys that the policy was written with; the others hold defaults. */
export function writtenKeys(policy: Policy): readonly (keyof PolicyInput)[] {
  return (policy as { readonly [DEFINED]?: readonly (keyof PolicyInput)[] })[DEFINED] ?? POLICY_KEYS; // set above
}

function readPolicy(fields: Fields, registry: Registry, report: Report): Policy {
  return {
    ...readDelays(fields, readBackoff(fields, registry, report), report),
    ...readRules(fields, registry, report),
    attemptTimeoutMs: fields.duration('attemptTimeout', Infinity, MORE_THAN_0),
    totalTimeoutMs: fields.duration('totalTimeout', Infinity, MORE_THAN_0),
    retryTimeouts: fields.choice('retryTimeouts', true, [true, false]),
    retryAfter: readServerDelay(fields, report),
    retryable: fields.choice('retryable', true, [true, false]),
  };
}

type DelayKey =
  | 'maxAttempts'
  | 'initialDelayMs'
  | 'backoff'
  | 'jitter'
  | 'minDelayMs'
  | 'maxDelayMs'
  | 'capAt'
  | 'granularityMs';

function readDelays(fields: Fields, backoff: Backoff, report: Report): Pick<Policy, DelayKey> {
  const drawsItself = backoff.type === 'decorrelated' || backoff.type === 'none';
  return {
    maxAttempts: fields.number('maxAttempts', 3, {
      accepts: (count) => (Number.isInteger(count) && count >= 1) || count === Infinity,
      message: 'must be an integer ≥ 1 or Infinity',
      cure: 'It counts the first attempt: use 1 to run once.',
    }),
    initialDelayMs: fields.duration('initialDelay', 0, { finite: true }),
    backoff,
    jitter: readJitter(fields, drawsItself ? 'none' : 'full', report),
    minDelayMs: fields.duration('minDelay', 0, { finite: true }),
    maxDelayMs: fields.duration('maxDelay', defaultMaxDelay(backoff)),
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
): Pick<Policy, 'retryOn' | 'stopOn' | 'retryIf'> {
  const isNothing = fields.value('retryOn') === 'nothing';
  const retryIf = readGate(fields, registry);
  return {
    retryOn: isNothing ? 'nothing' : readMatchers(fields, 'retryOn', report),
    stopOn: readMatchers(fields, 'stopOn', report),
    ...(retryIf !== undefined && { retryIf }),
  };
}

const MORE_THAN_0 = { accepts: (ms: number): boolean => ms > 0, message: 'must be a duration > 0' };

function readServerDelay(fields: Fields, report: Report): Policy['retryAfter'] {
  const given = fields.value('retryAfter') === undefined ? {} : fields.value('retryAfter');
  const inner = readFields(given, 'retryAfter', { keys: ['max', 'mode'], report });
  const maxMs = inner?.duration('max', 60_000) ?? 0;
  return Object.freeze({ maxMs, mode: inner?.choice('mode', 'floor', MODES) ?? 'floor' });
}
