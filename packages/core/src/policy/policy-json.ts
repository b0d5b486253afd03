import type { Problem } from '../errors.ts';
import { InvalidOptionsError } from '../errors.ts';
import { readSafely } from '../fields/read-options.ts';
import { innerMatchers, type Matcher } from '../matching/matcher.ts';
import { isList, isRegExp, read, tagOf } from '../read.ts';
import { definePolicy } from './define-policy.ts';
import type { Policy, PolicyInput, PolicySettings } from './policy.ts';
import { checkPolicy } from './settings.ts';
import type { Registry } from './strategy.ts';
import { toInput } from './to-input.ts';

/** Returns whether the policy can be written as JSON: no class, predicate or regular expression, no strategy or gate without a name. */
export function isSerializable(policy: Policy): boolean {
  return obstacles(checkPolicy(policy, 'isSerializable')).length === 0;
}

/**
 * Returns the policy as plain JSON data, from which `parsePolicy` makes an equal policy. Contains the keys that were
 * written, not the defaults; durations are in milliseconds, `Infinity` is the text `'Infinity'`.
 *
 * @throws {InvalidOptionsError} when the policy is not serializable; lists every value that is not
 */
export function policyToJSON(policy: Policy): PolicyInput {
  const settings = checkPolicy(policy, 'policyToJSON');
  const problems = obstacles(settings);
  if (problems.length > 0) throw new InvalidOptionsError(problems);
  return toJSON(toInput(settings)) as PolicyInput; // the same keys, with JSON values
}

function obstacles({ backoff, delays, retryIf, retryOn, stopOn }: PolicySettings): readonly Problem[] {
  const problems: Problem[] = [];
  const add = (path: string, value: unknown, cure: string): void => {
    problems.push({ path, value, message: 'cannot be written as JSON', cure });
  };
  const addStrategy = (path: string, given: PolicySettings['backoff']): void => {
    if (given.type !== 'custom' || given.name !== undefined) return;
    add(`${path}.strategy`, given.next, 'Name it: put it in a registry and write its name here.');
  };
  addStrategy('backoff', backoff);
  delays.forEach((entry, index) => {
    addStrategy(`delays[${index}].backoff`, entry.backoff);
  });
  if (retryIf !== undefined && retryIf.name === undefined) {
    add('retryIf', retryIf.test, 'Name it: put it in a registry and write its name here.');
  }
  const listsOfDelays = delays.map(({ on }, index) => [`delays[${index}].on`, on] as const);
  for (const [key, matchers] of [...Object.entries({ retryOn, stopOn }), ...listsOfDelays]) {
    if (typeof matchers === 'string') continue;
    matchers.forEach((matcher, index) => {
      if (hasCode(matcher)) add(`${key}[${index}]`, matcher, cureFor(matcher));
    });
  }
  return problems;
}

/** Returns whether a matcher has a function, or a regular expression: one that backtracks would block the process that reads it as data. */
function hasCode(value: unknown): boolean {
  if (typeof value === 'function' || isRegExp(value)) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasCode);
}

function cureFor(matcher: Matcher): string {
  return hasFunction(matcher)
    ? "Describe it: { name: 'TimeoutError' }."
    : "Use text, or a glob: { message: { glob: 'timed out*', ignoreCase: true } }.";
}

/** Returns whether a matcher is or has a class or a predicate. */
function hasFunction(matcher: Matcher): boolean {
  return typeof matcher === 'function' || innerMatchers(matcher).some(([, inner]) => hasFunction(inner));
}

/** Returns Infinity in the form that `definePolicy` reads. */
function toJSON(value: unknown): unknown {
  if (value === Infinity) return 'Infinity';
  if (Array.isArray(value)) return value.map(toJSON);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJSON(inner)]));
}

/**
 * Reads a policy from JSON text, also of a file with a byte order mark, or from parsed JSON. A text in `$schema`, which names the JSON
 * Schema to an editor, is ignored.
 *
 * @param source - JSON text, or the result of `JSON.parse`
 * @param registry - strategies and gates that the policy refers to by name
 * @throws {InvalidOptionsError} when anything is wrong; it lists every problem with its path, value and cure
 */
export function parsePolicy(source: unknown, registry: Registry = {}): Policy {
  if (tagOf(source) === '[object Uint8Array]')
    throw new InvalidOptionsError([{ ...NOTHING, value: source, cure: AS_TEXT }]);
  const input = typeof source === 'string' ? parseText(source) : source;
  // `undefined` comes from a missing file or key, so it is refused; `definePolicy` takes it for the defaults.
  if (input === undefined) throw new InvalidOptionsError([NOTHING]);
  return readSafely(input, 'policy', () => definePolicy(withoutSchema(input), registry));
}

function withoutSchema(input: unknown): PolicyInput {
  const given = input as PolicyInput & { readonly $schema?: unknown }; // definePolicy checks what it gets
  if (isList(given) || typeof read(given, '$schema') !== 'string') return given;
  const { $schema: _, ...policy } = given;
  return policy;
}

const NOTHING: Problem = {
  path: '',
  value: undefined,
  message: 'must be JSON text or an object',
  cure: 'Use {} for the defaults.',
};

const AS_TEXT = "Read it as text: readFile(path, 'utf8'), or buffer.toString().";

/** The mark at the beginning of a file that some editors of Windows write, and no part of its JSON. */
const BYTE_ORDER_MARK = /^\uFEFF/;

function parseText(text: string): unknown {
  try {
    return JSON.parse(text.replace(BYTE_ORDER_MARK, ''));
  } catch (error) {
    const cure = error instanceof SyntaxError ? `${error.message}.` : 'Give it JSON text.';
    throw new InvalidOptionsError([{ path: '', value: text, message: 'must be JSON', cure }]);
  }
}
