/** A class of errors that can be made without arguments. */
export type ErrorConstructor = new (message?: string) => Error;

/** What Python's and Ruby's exceptions, and those of the vectors' own programs, inherit from. */
const PARENTS: Readonly<Record<string, string>> = {
  Exception: 'BaseException',
  CancelledError: 'BaseException',
  LookupError: 'Exception',
  KeyError: 'LookupError',
  IndexError: 'LookupError',
  ArithmeticError: 'Exception',
  ZeroDivisionError: 'ArithmeticError',
  OverflowError: 'ArithmeticError',
  UnicodeError: 'ValueError',
  UnicodeDecodeError: 'UnicodeError',
  FileNotFoundError: 'OSError',
  PermissionError: 'OSError',
  TimeoutError: 'OSError',
  ConnectionError: 'OSError',
  ConnectionResetError: 'ConnectionError',
  ConnectionRefusedError: 'ConnectionError',
  Mid: 'Base',
  Leaf: 'Mid',
  Base1: 'StandardError',
  Mid1: 'Base1',
  Leaf1: 'Mid1',
};

/**
 * Makes real classes for the names of a case, each name once: the nearest ancestors that the case gives, else
 * those known, else `Exception`.
 */
export function makeErrorClasses(
  raisedAncestors: readonly string[] = [],
): (name: string) => ErrorConstructor {
  const made = new Map<string, ErrorConstructor>();
  const classOf = (name: string): ErrorConstructor => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const parent = parentOf(name, raisedAncestors);
    const errorClass = makeClass(name, parent === undefined ? Error : classOf(parent));
    made.set(name, errorClass);
    return errorClass;
  };
  return classOf;
}

function parentOf(name: string, raisedAncestors: readonly string[]): string | undefined {
  const index = raisedAncestors.indexOf(name);
  // The last of the list is where that language's exceptions begin.
  if (index !== -1) return raisedAncestors[index + 1];
  return name === 'BaseException' ? undefined : (PARENTS[name] ?? raisedAncestors.at(-1) ?? 'Exception');
}

function makeClass(name: string, parent: ErrorConstructor): ErrorConstructor {
  const errorClass = class extends parent {
    override readonly name: string = name;
  };
  return Object.defineProperty(errorClass, 'name', { value: name });
}
