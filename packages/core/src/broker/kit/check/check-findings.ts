import type { Problem } from '../../../errors.ts';
import { InvalidOptionsError } from '../../../errors.ts';
import { textProblem } from '../limits.ts';

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

/** The items of a list with their indexes. @throws {TypeError} for anything but a list */
export function entriesOf<Item>(list: readonly Item[]): Iterable<readonly [index: number, item: Item]> {
  return listOf(list).entries();
}

/** Returns the list. @throws {TypeError} for anything but a list */
export function listOf<Item>(list: readonly Item[]): readonly Item[] {
  if (!Array.isArray(list)) throw new TypeError('not a list');
  return list;
}

/** Checks that these keys are numbers where they are set; `NaN` is none. */
export function findNumberProblems<Item extends object>(
  item: Item,
  keys: readonly (keyof Item & string)[],
  { problems, path }: Pick<Findings, 'problems'> & { readonly path: string },
): void {
  for (const key of keys) {
    const value: unknown = item[key];
    if (value === undefined || (typeof value === 'number' && !Number.isNaN(value))) continue;
    const cure = 'Leave it out if you need none.';
    problems.push({ path: `${path}.${key}`, value, message: 'must be a number', cure });
  }
}

/** Checks that these keys are true or false where they are set. */
export function findBooleanProblems<Item extends object>(
  item: Item,
  keys: readonly (keyof Item & string)[],
  { problems, path }: Pick<Findings, 'problems'> & { readonly path: string },
): void {
  for (const key of keys) {
    const value: unknown = item[key];
    if (value === undefined || typeof value === 'boolean') continue;
    const cure = 'Leave it out for false.';
    problems.push({ path: `${path}.${key}`, value, message: 'must be true or false', cure });
  }
}

/** Checks that the value is text that can be JSON. */
export function findTextProblem(
  path: string,
  value: unknown,
  { problems, cure = 'Write it as JSON text.' }: Pick<Findings, 'problems'> & { readonly cure?: string },
): void {
  if (typeof value !== 'string') problems.push({ path, value, message: 'must be text', cure });
}
