import type { Matcher } from '../matching/matcher.ts';
import { described, type Option } from './option.ts';
import { readExceptions } from './read-exceptions.ts';
import {
  attemptsOf,
  isUnset,
  readFactor,
  readInteger,
  readSeconds,
  type SecondsRule,
} from './read-options.ts';

/** A plain number of seconds, read as milliseconds. */
export function plainSeconds(
  fallback: number,
  meaning: string,
  rule?: SecondsRule & { readonly shown?: string },
): Option<number> {
  return described('s', rule?.shown ?? String(fallback), meaning, (fields, key) =>
    readSeconds(fields, key, fallback, rule),
  );
}

/** An integer, also a negative one unless there is a least. */
export function integer(fallback: number, meaning: string, least?: number): Option<number> {
  return described('number', String(fallback), meaning, (fields, key) =>
    readInteger(fields, key, fallback, least),
  );
}

/** A number of retries after the first execution, read as the number of executions; a negative one is none. */
export function plainRetries(fallback: number, meaning: string): Option<number> {
  return described('retries', String(fallback), meaning, (fields, key) =>
    attemptsOf(readInteger(fields, key, fallback)),
  );
}

/** A number by which a delay grows. */
export function plainFactor(fallback: number, meaning: string): Option<number> {
  return described('factor', String(fallback), meaning, (fields, key) => readFactor(fields, key, fallback));
}

/** One of several names or answers; `null` is none of them. */
export function oneOf<const Choice extends string | boolean>(
  choices: readonly Choice[],
  fallback: NoInfer<Choice>,
  meaning: string,
): Option<Choice> {
  const unit = choices.every((each) => typeof each === 'boolean') ? 'boolean' : 'name';
  return described(unit, String(fallback), meaning, (fields, key) => fields.choice(key, fallback, choices));
}

/** A list of exceptions: classes, names, patterns and predicates. */
export function exceptions(meaning: string): Option<readonly Matcher[]> {
  return described('classes', '[]', meaning, readExceptions);
}

/** `undefined` instead of the default where the option is unset. */
export function ifSet<Value>(option: Option<Value>): Option<Value | undefined> {
  return {
    ...option,
    read: (fields, key, report) =>
      isUnset(fields.value(key)) ? undefined : option.read(fields, key, report),
  };
}
