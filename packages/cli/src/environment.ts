import type { Broker } from '@retry/core/broker';
import type { AnyTask } from '@retry/worker';

/** A stream to print on, such as `process.stdout`; a terminal has `isTTY`, `columns` and `rows`. */
export interface OutputStream {
  /** Whether it is a terminal: only there is text coloured, unless `FORCE_COLOR` says otherwise. */
  readonly isTTY?: boolean;
  /** The width of the terminal in characters; less than 40 counts as 40, and 0 as unknown. */
  readonly columns?: number;
  /** The height of the terminal in lines. */
  readonly rows?: number;
  /** Calls `done` when the text is written, or cannot be. */
  readonly write: (text: string, done?: () => void) => unknown;
}

/** What the program reads and writes besides its arguments. */
export interface CliEnvironment {
  /** Read for a policy that is given as `-`, and for answers and keys where it is a terminal. */
  readonly stdin: AsyncIterable<Uint8Array | string>;
  /** Gets what a command was asked for. */
  readonly stdout: OutputStream;
  /** Gets errors, notes, questions and progress. */
  readonly stderr: OutputStream;
  /** The variables of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that paths and patterns start from. */
  readonly cwd: string;
  /** Now, in epoch milliseconds. */
  readonly now: () => number;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** The queue's broker, instead of one that the arguments and variables name; it stays open. */
  readonly broker?: Broker;
  /** What messages call that broker. @default 'the given broker' */
  readonly shown?: string;
  /** Tasks whose policies the board explains and plans with. @default none */
  readonly tasks?: readonly AnyTask[];
}

/** Returns the environment of this process, with some parts replaced. */
export function completeEnvironment(given: Partial<CliEnvironment>): CliEnvironment {
  const { stdin, stdout, stderr, env } = process;
  return { stdin, stdout, stderr, env, cwd: process.cwd(), now: Date.now, random: Math.random, ...given };
}

/** Returns who runs the program, for the note that others read. */
export function userOf({ env }: CliEnvironment): string | undefined {
  const name = env['USER'] ?? env['USERNAME'];
  return name === undefined || name === '' ? undefined : name;
}
