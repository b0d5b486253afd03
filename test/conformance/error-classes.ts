/** A class of errors whose constructor needs no arguments. */
export type ErrorConstructor = new (message?: string) => Error;

/** The language whose exceptions a case names. */
export type Language = 'python' | 'ruby';

/** The root of a language's exceptions, and the usual parent of custom ones. */
const ROOTS = {
  python: { top: 'BaseException', usual: 'Exception' },
  ruby: { top: 'Exception', usual: 'StandardError' },
} as const;

/** The parents of Python's exceptions and of those in the vectors; one line per parent. */
const PYTHON = {
  BaseException: 'Exception BaseExceptionGroup CancelledError GeneratorExit KeyboardInterrupt SystemExit',
  Exception:
    'ArithmeticError AssertionError AttributeError BufferError EOFError ExceptionGroup ImportError LookupError ' +
    'MemoryError NameError OSError ReferenceError RuntimeError StopAsyncIteration StopIteration SyntaxError ' +
    'SystemError TypeError ValueError Warning',
  ArithmeticError: 'FloatingPointError OverflowError ZeroDivisionError',
  ImportError: 'ModuleNotFoundError',
  LookupError: 'IndexError KeyError',
  NameError: 'UnboundLocalError',
  OSError:
    'BlockingIOError ChildProcessError ConnectionError FileExistsError FileNotFoundError InterruptedError ' +
    'IsADirectoryError NotADirectoryError PermissionError ProcessLookupError TimeoutError',
  ConnectionError: 'BrokenPipeError ConnectionAbortedError ConnectionRefusedError ConnectionResetError',
  RuntimeError: 'NotImplementedError RecursionError',
  SyntaxError: 'IndentationError',
  ValueError: 'UnicodeError JSONDecodeError',
  UnicodeError: 'UnicodeDecodeError UnicodeEncodeError UnicodeTranslateError',
  Base: 'Mid',
  Mid: 'Leaf',
};

/** The parents of Ruby's exceptions and of those in the vectors. */
const RUBY = {
  Exception:
    'NoMemoryError ScriptError SecurityError SignalException StandardError SystemExit SystemStackError',
  ScriptError: 'LoadError NotImplementedError SyntaxError',
  SignalException: 'Interrupt',
  StandardError:
    'ArgumentError EncodingError FiberError IOError IndexError LocalJumpError NameError RangeError RegexpError ' +
    'RuntimeError SystemCallError ThreadError TypeError ZeroDivisionError',
  ArgumentError: 'UncaughtThrowError',
  IOError: 'EOFError',
  IndexError: 'KeyError StopIteration',
  NameError: 'NoMethodError',
  RangeError: 'FloatDomainError',
  RuntimeError: 'FrozenError',
  Base1: 'Mid1',
  Mid1: 'Leaf1',
};

const PARENTS: Readonly<Record<Language, ReadonlyMap<string, string>>> = {
  python: parentsOf(PYTHON),
  ruby: parentsOf(RUBY),
};

/** A list of names as a case writes it; lists in it are tuples in Python and arrays in Ruby. */
export type Names = readonly (string | Names)[];

/** Creates the classes of a case, each name once. */
export interface ErrorClasses {
  (name: string): ErrorConstructor;
  /** The classes of a list, with the lists in it as they are. */
  readonly of: (names: Names) => readonly unknown[];
}

/**
 * Creates classes for the names of a case: with the ancestors of the case, else those of the language, else the usual
 * parent.
 */
export function makeErrorClasses(
  raisedAncestors: readonly string[] = [],
  language: Language = 'python',
): ErrorClasses {
  const made = new Map<string, ErrorConstructor>();
  const classOf = (name: string): ErrorConstructor => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const parent = parentOf(name, raisedAncestors, language);
    const errorClass = makeClass(name, parent === undefined ? Error : classOf(parent));
    made.set(name, errorClass);
    return errorClass;
  };
  const of = (names: Names): readonly unknown[] =>
    names.map((name) => (typeof name === 'string' ? classOf(name) : of(name)));
  return Object.assign(classOf, { of });
}

/** The first name of a list, however deep. */
export function firstName(names: Names | null | undefined): string | undefined {
  const first = names?.[0];
  return typeof first === 'string' || first === undefined ? first : firstName(first);
}

function parentOf(name: string, raisedAncestors: readonly string[], language: Language): string | undefined {
  const index = raisedAncestors.indexOf(name);
  if (index !== -1 && index + 1 < raisedAncestors.length) return raisedAncestors[index + 1];
  const { top, usual } = ROOTS[language];
  return name === top ? undefined : (PARENTS[language].get(name) ?? usual);
}

function parentsOf(children: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(children).flatMap(([parent, names]) =>
      names.split(' ').map((name) => [name, parent] as const),
    ),
  );
}

function makeClass(name: string, parent: ErrorConstructor): ErrorConstructor {
  const errorClass = class extends parent {
    override readonly name: string = name;
  };
  return Object.defineProperty(errorClass, 'name', { value: name });
}
