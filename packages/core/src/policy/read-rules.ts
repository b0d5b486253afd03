import type { Fields, Report } from '../fields/fields.ts';
import { readFields, writtenIn } from '../fields/fields.ts';
import { ASYNC_CURE, isAsync, MUST_BE_SYNCHRONOUS } from '../fields/value-rules.ts';
import type { ErrorPattern, Matcher } from '../matching/matcher.ts';
import type { Gate, PolicySettings, Registry } from './policy.ts';
import { methodOf, own } from './registry.ts';

const PATTERN_KEYS = ['name', 'code', 'status', 'message', 'retryAfter', 'cause'] as const;

/** The longest path of a nested matcher: a cause that contains itself would make it endless. */
const LONGEST_PATH = 100;

const REGEXP_CURE = "Use /timed out/i, or { pattern: 'timed out', flags: 'i' }.";

/** The longest source of a regular expression. */
const MAX_PATTERN_LENGTH = 1_000;

/** Replaces a pattern that does not compile; its policy is refused anyway. */
const NEVER = /$^/;

const MATCHER_CURE = 'Use an error class, { name | code | status | message | cause: … }, or a function.';

const NO_MATCHERS: readonly Matcher[] = Object.freeze([]);

/** Reads `retryOn`: `'everything'` (the default), `'nothing'`, or a list of matchers that is not empty. */
export function readRetryOn(policy: Fields, report: Report): PolicySettings['retryOn'] {
  const given = policy.value('retryOn');
  if (given === undefined || given === 'everything' || given === 'nothing') return given ?? 'everything';
  if (Array.isArray(given) && given.length === 0) {
    policy.fail('retryOn', 'must not be empty', "Use 'everything' or 'nothing'.");
  }
  return readMatchers(policy, 'retryOn', report);
}

/** Reads a list of matchers, empty when the key is absent. */
export function readMatchers(policy: Fields, key: string, report: Report): readonly Matcher[] {
  const given = policy.value(key);
  if (given === undefined) return NO_MATCHERS;
  if (!Array.isArray(given)) {
    policy.fail(key, 'must be a list of matchers', MATCHER_CURE);
    return NO_MATCHERS;
  }
  return Object.freeze(
    Array.from(given, (matcher, index) => readMatcher(matcher, `${key}[${index}]`, report)),
  );
}

function readMatcher(given: unknown, path: string, report: Report): Matcher {
  const refuse = (message: string, cure: string): void => report({ path, value: given, message, cure });
  if (typeof given === 'function') {
    if (isAsync(given)) refuse(MUST_BE_SYNCHRONOUS, ASYNC_CURE);
    return given as Matcher; // a class or a predicate; distinguished when it is used
  }
  if (path.length > LONGEST_PATH) {
    refuse('is nested too deep', 'Use one cause: it matches at any depth.');
    return {};
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given) || given instanceof RegExp) {
    refuse('is not a matcher', given instanceof RegExp ? `Use { message: ${given} }.` : MATCHER_CURE);
    return {};
  }
  const fields = readFields(given, path, { keys: PATTERN_KEYS, report });
  const pattern = fields === undefined ? {} : readPattern(fields, report);
  const written = writtenIn(given, PATTERN_KEYS) ?? { unread: true };
  if (Object.keys(written).length === 0) {
    refuse('has no fields', "Use 'everything' for every error.");
  }
  return Object.freeze(pattern);
}

function readPattern(fields: Fields, report: Report): ErrorPattern {
  const cause = fields.value('cause');
  const message = fields.value('message');
  return {
    ...readWanted(fields, 'name', (name) => typeof name === 'string' && name !== ''),
    ...readWanted(
      fields,
      'code',
      (code) => (typeof code === 'string' && code !== '') || Number.isFinite(code),
    ),
    ...readWanted(fields, 'status', (status) => Number.isInteger(status)),
    ...(message !== undefined && { message: readMessage(message, fields, report) }),
    ...(fields.value('retryAfter') !== undefined && readRetryAfter(fields)),
    ...(cause !== undefined && { cause: readMatcher(cause, fields.path('cause'), report) }),
  };
}

/** Reads one value or a list of values, each checked by `accepts`. */
function readWanted(fields: Fields, key: string, accepts: (value: unknown) => boolean): object {
  const given = fields.value(key);
  if (given === undefined) return {};
  const wanted: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (wanted.length === 0 || !wanted.every(accepts)) {
    fields.fail(key, 'must be one value or a list of them', MATCHER_CURE);
  }
  return { [key]: Array.isArray(given) ? Object.freeze([...wanted]) : given };
}

function readRetryAfter(fields: Fields): Pick<ErrorPattern, 'retryAfter'> {
  if (fields.value('retryAfter') !== true)
    fields.fail('retryAfter', 'must be true', 'Leave it out otherwise.');
  return { retryAfter: true };
}

function readMessage(given: unknown, fields: Fields, report: Report): RegExp | string {
  if (typeof given === 'string') {
    if (given === '') fields.fail('message', 'must not be empty', REGEXP_CURE);
    return given;
  }
  const { source, flags } = given instanceof RegExp ? given : readRegExp(given, fields, report);
  if (source.length > MAX_PATTERN_LENGTH) {
    fields.fail('message', `must have a pattern of at most ${MAX_PATTERN_LENGTH} characters`, REGEXP_CURE);
  }
  try {
    // The flags g and y give a RegExp state: it would not match the same error twice in a row.
    return new RegExp(source, flags.replace(/[gy]/g, ''));
  } catch {
    fields.fail('message', 'must be a regular expression', REGEXP_CURE);
    return NEVER;
  }
}

type RegExpText = Pick<RegExp, 'source' | 'flags'>;

/** Reads `{ pattern, flags }`: a regular expression in JSON. */
function readRegExp(given: unknown, fields: Fields, report: Report): RegExpText {
  if (typeof given !== 'object') {
    fields.fail('message', 'must be a regular expression', REGEXP_CURE);
    return NEVER;
  }
  const inner = readFields(given, fields.path('message'), { keys: ['pattern', 'flags'], report });
  if (inner === undefined) return NEVER;
  const source = inner.value('pattern');
  const flags = inner.value('flags') === undefined ? '' : inner.value('flags');
  if (typeof source === 'string' && typeof flags === 'string') return { source, flags };
  inner.fail(typeof source === 'string' ? 'flags' : 'pattern', 'must be text', REGEXP_CURE);
  return NEVER;
}

/** Reads `retryIf`: a function, an object with `test`, or a name in the registry. */
export function readGate(fields: Fields, registry: Registry): PolicySettings['retryIf'] {
  const given = fields.value('retryIf');
  if (given === undefined) return undefined;
  const isName = typeof given === 'string';
  const test = methodOf(isName ? own(registry.gates, given) : given, 'test') as Gate | undefined; // checked at each call
  if (test === undefined) {
    const cure = `Pass { gates: { name: (error, { attempt }) => boolean } } for names.`;
    fields.fail('retryIf', 'must be a function, an object with test, or a name in the registry', cure);
    return undefined;
  }
  if (isAsync(test)) fields.fail('retryIf', MUST_BE_SYNCHRONOUS, ASYNC_CURE);
  return Object.freeze({ ...(isName && { name: given }), test });
}
