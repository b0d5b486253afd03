import type { Fields, Report } from '../fields/fields.ts';
import { readFields } from '../fields/fields.ts';
import { PATTERN_SYNONYMS } from '../fields/synonyms.ts';
import { ASYNC_CURE, isAsync, MUST_BE_SYNCHRONOUS } from '../fields/value-rules.ts';
import { isErrorClass } from '../matching/find-match.ts';
import type { ErrorPattern, Matcher, MessageGlob, Predicate } from '../matching/matcher.ts';
import { isList, isListOf, isRegExp, MAX_ITEMS, read } from '../read.ts';
import { show } from '../show.ts';
import type { PolicySettings } from './policy.ts';
import { methodOf, own } from './registry.ts';
import type { Gate, Registry } from './strategy.ts';

/** The longest path of a nested matcher: a cause that contains itself would make it endless. */
const LONGEST_PATH = 100;

const MESSAGE_CURE =
  "Use text that the message contains, or { glob: 'timed out*', ignoreCase: true }; in code also /timed out/i.";

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
    const meant = typeof given === 'function' || isPattern(given) ? '…' : patternMeant(given);
    const listed = meant === undefined ? MATCHER_CURE : `Use ${key}: [${meant}].`;
    policy.fail(
      key,
      'must be a list of matchers',
      (key === 'retryOn' ? retryOnCure(given) : undefined) ?? listed,
    );
    return NO_MATCHERS;
  }
  if (given.length > MAX_ITEMS) {
    refuseLong(policy, key);
    return NO_MATCHERS;
  }
  return Object.freeze(
    Array.from(given, (matcher, index) => readMatcher(matcher, `${policy.path(key)}[${index}]`, report)),
  );
}

/** Returns the cure for words that mean our own. */
function retryOnCure(given: unknown): string | undefined {
  const word = typeof given === 'string' ? given.toLowerCase() : given;
  if (word === true || ['all', 'any', 'always', '*'].some((known) => known === word))
    return "Use 'everything'.";
  if (word === false || ['none', 'never'].some((known) => known === word)) return "Use 'nothing'.";
  return undefined;
}

function isPattern(given: unknown): boolean {
  return PATTERN_KEYS.some((key) => read(given, key) !== undefined);
}

function matcherCure(given: unknown): string {
  if (isList(given)) return 'Spread a list into this one: [...network, …].';
  const meant = patternMeant(given);
  return meant === undefined ? MATCHER_CURE : `Use ${meant}. ${MATCHER_CURE}`;
}

/** Returns the pattern that a bare value stands for: a code, a status, a name, or a part of the message. */
function patternMeant(given: unknown): string | undefined {
  if (isRegExp(given)) return `{ message: ${given} }`;
  if ((typeof given !== 'string' && typeof given !== 'number') || given === '') return undefined;
  const text = String(given);
  if (/^[1-5]\d\d$/.test(text)) return `{ status: ${text} }`;
  if (typeof given === 'number') return Number.isFinite(given) ? `{ code: ${text} }` : undefined;
  const key = /^[A-Z0-9_]{4,}$/.test(text)
    ? 'code'
    : /^\w*(Error|Exception)$/.test(text)
      ? 'name'
      : 'message';
  return `{ ${key}: '${show(given).slice(1, -1)}' }`;
}

/** Reports a list with more items than are read. */
export function refuseLong(fields: Fields, key: string): void {
  const cure = 'Describe several errors by one matcher, or use a function.';
  fields.fail(key, `must have at most ${MAX_ITEMS} items`, cure);
}

/** Reads one matcher; returns `{}` after reporting a problem. */
export function readMatcher(given: unknown, path: string, report: Report): Matcher {
  const refuse = (message: string, cure: string): void => report({ path, value: given, message, cure });
  if (typeof given === 'function') {
    if (isAsync(given)) refuse(MUST_BE_SYNCHRONOUS, ASYNC_CURE);
    return given as Matcher; // a class or a predicate; distinguished when it is used
  }
  if (path.length > LONGEST_PATH) {
    refuse('is nested too deep', 'Use one cause: it matches at any depth.');
    return {};
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given) || isRegExp(given)) {
    refuse('is not a matcher', matcherCure(given));
    return {};
  }
  let hasProblems = false;
  const fields = readFields(given, path, {
    keys: PATTERN_KEYS,
    synonyms: PATTERN_SYNONYMS,
    report: (problem) => {
      hasProblems = true;
      report(problem);
    },
  });
  const written = PATTERN_KEYS.filter((key) => fields?.value(key) !== undefined);
  if (fields === undefined) return {};
  if (written.length === 0 && !hasProblems) refuse('has no fields', "Use 'everything' for every error.");
  return Object.freeze(Object.fromEntries(written.map((key) => [key, FIELDS[key](fields, report)])));
}

/** How each field of a pattern is read; as a `Record` of the type's keys, none can be forgotten. */
const FIELDS: Readonly<Record<keyof ErrorPattern, (fields: Fields, report: Report) => unknown>> = {
  name: (fields) => readWanted(fields, 'name', isText),
  code: (fields) => readWanted(fields, 'code', (code) => isText(code) || Number.isFinite(code)),
  status: (fields) => readWanted(fields, 'status', Number.isInteger, 'Use numbers: { status: 503 }.'),
  message: readMessage,
  errno: (fields) => readWanted(fields, 'errno', (errno) => isText(errno) || Number.isFinite(errno)),
  sqlState: (fields) => readWanted(fields, 'sqlState', isText),
  label: (fields) => readWanted(fields, 'label', isText),
  retryAfter: (fields) => readTrue(fields, 'retryAfter'),
  retryable: (fields) => readTrue(fields, 'retryable'),
  cause: (fields, report) => readMatcher(fields.value('cause'), fields.path('cause'), report),
  anywhere: (fields, report) => readOneOrMany(fields, 'anywhere', report),
  unless: (fields, report) => readOneOrMany(fields, 'unless', report),
  ambiguous: (fields) => {
    // Of a pattern inside another one it would say nothing.
    const isOuter = fields.path('ambiguous').split('.').length <= 2;
    if (!isOuter)
      fields.fail('ambiguous', 'must be a field of the outer pattern', 'Write it beside anywhere.');
    return readTrue(fields, 'ambiguous');
  },
};

function readTrue(fields: Fields, key: string): boolean {
  const isTrue = fields.value(key) === true;
  if (!isTrue) fields.fail(key, 'must be true', 'Leave it out otherwise.');
  return isTrue;
}

function readOneOrMany(fields: Fields, key: string, report: Report): Matcher | readonly Matcher[] {
  const given = fields.value(key);
  if (!Array.isArray(given)) return readMatcher(given, fields.path(key), report);
  if (given.length === 0) fields.fail(key, 'must not be empty', MATCHER_CURE);
  return readMatchers(fields, key, report);
}

const PATTERN_KEYS = Object.keys(FIELDS) as readonly (keyof ErrorPattern)[]; // the keys of a Record are its key type

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** Reads one value or a list of values, each checked by `accepts`. */
function readWanted(
  fields: Fields,
  key: string,
  accepts: (value: unknown) => boolean,
  cure: string = MATCHER_CURE,
): unknown {
  const given = fields.value(key);
  const isOne = !Array.isArray(given);
  const wanted: readonly unknown[] = isOne ? [given] : given;
  if (wanted.length > MAX_ITEMS) refuseLong(fields, key);
  else if (wanted.length === 0 || !isListOf(wanted, accepts))
    fields.fail(key, 'must be one value or a list of them', cure);
  if (wanted.length > MAX_ITEMS) return undefined;
  const read = wanted.map(asInJSON);
  return isOne ? read[0] : Object.freeze(read);
}

/** Plus 0, as -0 would not survive JSON. */
function asInJSON(wanted: unknown): unknown {
  return typeof wanted === 'number' ? wanted + 0 : wanted;
}

/** Reads one message or a list of them. */
function readMessage(fields: Fields, report: Report): unknown {
  const given = fields.value('message');
  const path = fields.path('message');
  if (!Array.isArray(given)) return readOneMessage(given, path, report);
  if (given.length === 0) fields.fail('message', 'must not be empty', MESSAGE_CURE);
  if (given.length > MAX_ITEMS) {
    refuseLong(fields, 'message');
    return undefined;
  }
  return Object.freeze(
    Array.from(given, (message, index) => readOneMessage(message, `${path}[${index}]`, report)),
  );
}

function readOneMessage(given: unknown, path: string, report: Report): RegExp | string | MessageGlob {
  const refuse = (message: string): string => {
    report({ path, value: given, message, cure: MESSAGE_CURE });
    return '';
  };
  if (typeof given === 'string') return given === '' ? refuse('must not be empty') : given;
  // The flag g says nothing about whether a text matches.
  if (isRegExp(given)) return new RegExp(given.source, given.flags.replace('g', ''));
  if (typeof given !== 'object' || given === null) return refuse('must be text, a glob or a list of them');
  if ('pattern' in given)
    return refuse('must be no regular expression as data: one that backtracks blocks its process');
  return readGlob(given, path, report);
}

function readGlob(given: unknown, path: string, report: Report): MessageGlob {
  const fields = readFields(given, path, { keys: ['glob', 'except', 'ignoreCase'], report });
  const [glob, ignoreCase] = [fields?.value('glob'), fields?.value('ignoreCase')];
  if (fields === undefined) return { glob: '' };
  if (!isText(glob)) fields.fail('glob', 'must be text', MESSAGE_CURE);
  if (ignoreCase !== undefined && ignoreCase !== true)
    fields.fail('ignoreCase', 'must be true', 'Leave it out otherwise.');
  const except = fields.value('except') !== undefined && readWanted(fields, 'except', isText, MESSAGE_CURE);
  return Object.freeze({
    glob: String(glob),
    ...(except !== false && { except: except as MessageGlob['except'] }), // texts, or they were reported
    ...(ignoreCase === true && { ignoreCase }),
  });
}

/** Returns the cure for a gate that is none. */
function gateCure(found: unknown): string {
  if (isRegExp(found) || isPattern(found)) return `Use retryOn: [${patternMeant(found) ?? '…'}].`;
  return 'Pass { gates: { name: (error, { attempt }) => boolean } } for names.';
}

/** Reads `retryIf`: a function, an object with `test`, or a name in the registry. */
export function readGate(fields: Fields, registry: Registry): PolicySettings['retryIf'] {
  const given = fields.value('retryIf');
  if (given === undefined) return undefined;
  const isName = typeof given === 'string';
  const found: unknown = isName ? own(registry.gates, given) : given;
  const test = methodOf(found, 'test') as Gate | undefined; // checked at each call
  if (test === undefined) {
    fields.fail(
      'retryIf',
      'must be a function, an object with test, or a name in the registry',
      gateCure(found),
    );
    return undefined;
  }
  if (typeof found === 'function' && isErrorClass(found as Predicate))
    fields.fail('retryIf', 'must not be a class', `Use retryOn: [${found.name}].`);
  if (isAsync(test)) fields.fail('retryIf', MUST_BE_SYNCHRONOUS, ASYNC_CURE);
  return Object.freeze({ ...(isName && { name: given }), test });
}
