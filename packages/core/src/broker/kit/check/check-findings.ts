import type { Problem } from '../../../errors.ts';
import { InvalidOptionsError } from '../../../errors.ts';
import { isOptionsObject } from '../../../fields/fields.ts';
import { textProblem } from '../storable/texts.ts';
import { isMap, isObject, LIST, OBJECT } from './field-rules.ts';

/** Collects what is wrong with one call. */
export interface Findings {
  readonly problems: Problem[];
  /** Checks a name; the path is made only for a wrong one. */
  readonly name: (path: () => string, value: unknown) => void;
}

/** Checks the input of one call. @throws {InvalidOptionsError} listing every problem that was found */
export function check(subject: string, find: (findings: Findings) => void): void {
  const problems: Problem[] = [];
  find(findingsIn(problems));
  if (problems.length > 0) throw new InvalidOptionsError(problems, subject);
}

/**
 * Returns what was read of an input.
 *
 * @throws {InvalidOptionsError} also for an input that cannot be read at all: no value of the port's types is one
 */
export function readCall<Input, Read>(read: (input: Input) => Read, input: Input): Read {
  try {
    return read(input);
  } catch (error) {
    throw refusalOf(error, input);
  }
}

/** Returns what a call is refused with whose input could not be read. */
export function refusalOf(error: unknown, value: unknown): InvalidOptionsError {
  if (error instanceof InvalidOptionsError) return error;
  const cure = 'The type Broker of @retry/core/broker says what each verb takes.';
  return new InvalidOptionsError([{ path: '', value, message: 'is not what this verb takes', cure }], 'call');
}

/** Returns findings that are added to a list. */
export function findingsIn(problems: Problem[]): Findings {
  return {
    problems,
    name: (path, value) => {
      const message = textProblem(value);
      if (message !== undefined) problems.push({ path: path(), value, message, cure: NAME_CURE });
    },
  };
}

/** What to do about a name that cannot be kept. */
export const NAME_CURE = 'Names are 1 to 512 bytes of UTF-8: hash longer ones, encode binary ones.';

/** How many items one call takes. A sparse list may have 2³² without taking any memory, and to look at each of them takes minutes. */
export const MAX_CALL_ITEMS = 1_000_000;

/**
 * Returns the items of a list with their indexes.
 *
 * @throws {InvalidOptionsError} for one that is too long, before any item is read
 * @throws {TypeError} for anything but a list
 */
export function entriesOf<Item>(list: readonly Item[]): Iterable<readonly [index: number, item: Item]> {
  if (!Array.isArray(list)) throw new TypeError('not a list');
  if (list.length > MAX_CALL_ITEMS) throw new InvalidOptionsError([lengthProblem('', list.length)], 'call');
  return list.entries();
}

function lengthProblem(path: string, value: number): Problem {
  const message = `must have at most ${MAX_CALL_ITEMS} items`;
  return { path, value, message, cure: 'Send them in several calls.' };
}

/** Finds what is wrong with each item of a list, which has to be an object. @throws {TypeError} for anything but a list */
export function findInEach<Item extends object>(
  list: readonly Item[],
  problems: Problem[],
  find: (item: Item, path: string) => void,
): void {
  for (const [index, item] of entriesOf(list)) {
    const path = `[${index}]`;
    if (findObjectProblem(path, item, problems)) find(item, path);
  }
}

/** Reports what is no object. @returns whether it is one */
export function findObjectProblem<Value>(
  path: string,
  value: Value,
  problems: Problem[],
): value is Value & object {
  return isObject(value) || refuse(path, value, problems);
}

/**
 * Reports what is no object with options, all of which may be left out: a list or a Map would be taken for one that leaves all of
 * them out. @returns whether it is one
 */
export function findOptionsProblem<Value>(
  path: string,
  value: Value,
  problems: Problem[],
): value is Value & object {
  return isOptions(value) || refuse(path, value, problems);
}

function isOptions(value: unknown): value is object {
  return isObject(value) && isOptionsObject(value);
}

function refuse(path: string, value: unknown, problems: Problem[]): false {
  const { message, cure } = OBJECT;
  problems.push({ path, value, message, cure });
  return false;
}

/** Returns a list of the input; an empty one, with a problem, for one that is too long and for anything else. */
export function findList<Item>(path: string, list: readonly Item[], problems: Problem[]): readonly Item[] {
  if (Array.isArray(list) && list.length <= MAX_CALL_ITEMS) return list;
  const { message, cure } = LIST;
  problems.push(
    Array.isArray(list) ? lengthProblem(path, list.length) : { path, value: list, message, cure },
  );
  return [];
}

/** Returns a map of the input; an empty one, with a problem, for one that has too many entries and for anything else. */
export function findMap<Key, Value>(
  path: string,
  map: ReadonlyMap<Key, Value>,
  { problems, cure }: Pick<Findings, 'problems'> & { readonly cure: string },
): ReadonlyMap<Key, Value> {
  if (isMap(map) && map.size <= MAX_CALL_ITEMS) return map;
  problems.push(
    isMap(map) ? lengthProblem(path, map.size) : { path, value: map, message: 'must be a Map', cure },
  );
  return new Map();
}

/** Returns the object with options. @throws {TypeError} for anything else */
export function optionsOf<Input extends object>(input: Input): Input {
  if (!isOptions(input)) throw new TypeError('no options');
  return input;
}

/** Checks ids. @throws {InvalidOptionsError} */
export function checkIds(ids: readonly string[]): void {
  check('ids', ({ name }) => {
    for (const [index, id] of entriesOf(ids)) name(() => `[${index}]`, id);
  });
}

/** Checks that the value is text that can be JSON. */
export function findTextProblem(
  path: string,
  value: unknown,
  { problems, cure = 'Write it as JSON text.' }: Pick<Findings, 'problems'> & { readonly cure?: string },
): void {
  if (typeof value !== 'string') problems.push({ path, value, message: 'must be text', cure });
}
