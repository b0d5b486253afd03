import type { Problem } from '../../../errors.ts';
import { type ArgumentRule, isNumber, optional } from '../../../fields/check-arguments.ts';
import { ARROWS } from '../../../lifecycle/arrows.ts';
import type { RunEventType } from '../../../lifecycle/run-event.ts';
import type { RunState } from '../../../lifecycle/run-state.ts';
import { RUN_STATES } from '../../../lifecycle/run-state.ts';

/** What a field of an input takes. It never throws, whatever the value. */
export type FieldRule = ArgumentRule;

/** What the fields of an input take. */
export type FieldRules<Item extends object> = { readonly [Key in keyof Item & string]?: FieldRule };

/** Finds the fields that are not what they should be. A rule that is not `optional` refuses a field that is absent, too. */
export function findWrongFields<Item extends object>(
  item: Item,
  rules: FieldRules<Item>,
  { problems, path }: { readonly problems: Problem[]; readonly path: string },
): void {
  for (const name in rules) {
    const key = name as keyof Item & string; // a key of its rules
    const rule = rules[key];
    const value: unknown = item[key];
    if (rule === undefined || rule.accepts(value)) continue;
    const { message, cure } = rule;
    problems.push({ path: path === '' ? key : `${path}.${key}`, value, message, cure });
  }
}

/** Accepts whole numbers in a range. */
export function wholeFrom(
  least: number,
  { most = Number.MAX_SAFE_INTEGER, cure }: { readonly most?: number; readonly cure: string },
): FieldRule {
  const range = most === Number.MAX_SAFE_INTEGER ? `≥ ${least}` : `from ${least} to ${most}`;
  return {
    accepts: (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
    message: `must be an integer ${range}`,
    cure,
  };
}

/** Accepts some words. */
export function oneOf(words: readonly string[], cure: string): FieldRule {
  const quoted = words.map((word) => `'${word}'`);
  const last = quoted.pop() ?? '';
  const message = `must be ${[quoted.join(', '), last].filter((part) => part !== '').join(' or ')}`;
  return { accepts: (value) => words.some((word) => word === value), message, cure };
}

/** Any number; of instants and delays, a past one is now, and one that is too far is the last instant. */
export const NUMBER: FieldRule = {
  accepts: isNumber,
  message: 'must be a number',
  cure: 'Leave it out if you need none.',
};

/** The rule of a number that may be absent. */
export const NUMBER_OR_NONE: FieldRule = optional(NUMBER);

/** How long something lasts that may last for ever. */
export const LENGTH: FieldRule = {
  accepts: (value) => isNumber(value) && value >= 0,
  message: 'must be a number of milliseconds ≥ 0',
  cure: 'Use Infinity for no end.',
};

/** How long something lasts that has to end. */
export const FINITE_LENGTH: FieldRule = {
  accepts: (value) => Number.isFinite(value) && Number(value) >= 0,
  message: 'must be a finite number of milliseconds ≥ 0',
  cure: 'Use 30_000 for half a minute.',
};

/** The epoch of a claim. One that no run has is answered, and not refused. */
export const EPOCH: FieldRule = {
  accepts: Number.isSafeInteger,
  message: 'must be an integer',
  cure: 'It is the epoch of the run that was claimed.',
};

/** True or false. */
export const BOOLEAN: FieldRule = {
  accepts: (value) => typeof value === 'boolean',
  message: 'must be true or false',
  cure: 'Use true or false.',
};

/** True or false; absent is false. */
export const FLAG: FieldRule = optional({ ...BOOLEAN, cure: 'Leave it out for false.' });

/** Text of any length. */
export const TEXT: FieldRule = {
  accepts: (value) => typeof value === 'string',
  message: 'must be text',
  cure: 'Write it as text.',
};

/** An object, whose fields are checked one by one. */
export const OBJECT: FieldRule = {
  accepts: isObject,
  message: 'must be an object',
  cure: 'The types in @retry/core/broker say what it has.',
};

/** A list, whose items are checked one by one. */
export const LIST: FieldRule = {
  accepts: Array.isArray,
  message: 'must be a list',
  cure: 'Use [].',
};

/** A state that a run can have. */
export const STATE: FieldRule = oneOf(RUN_STATES, "Use 'submitted', or any state of @retry/core/lifecycle.");

const EVENT_NAMES: ReadonlySet<unknown> = new Set(ARROWS.map(({ event }) => event));
const STATE_NAMES: ReadonlySet<unknown> = new Set(RUN_STATES);

/** What happened to a run. */
export const EVENT: FieldRule = oneOf([...EVENT_NAMES].map(String), 'It is the type of a RunEvent.');

/** Returns whether the value is an object, or at least no primitive. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Returns whether the value has what a `ReadonlyMap` has: one of another realm is a map, too. */
export function isMap(value: unknown): value is ReadonlyMap<unknown, unknown> {
  return value instanceof Map || (isObject(value) && MAP_METHODS.every((name) => hasMethod(value, name)));
}

const MAP_METHODS = ['get', 'has', 'keys', 'values', 'entries', 'forEach', Symbol.iterator] as const;

function hasMethod(value: object, name: PropertyKey): boolean {
  return typeof Reflect.get(value, name) === 'function';
}

/** Returns whether the value is a state. */
export function isState(value: unknown): value is RunState {
  return STATE_NAMES.has(value);
}

/** Returns whether the value is the name of an event. */
export function isEvent(value: unknown): value is RunEventType {
  return EVENT_NAMES.has(value);
}
