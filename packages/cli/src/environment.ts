import type { Broker } from '@retry/core/broker';
import type { AnyTask } from '@retry/worker';

/** A stream to print on, such as `process.stdout`; a terminal has `isTTY`, `columns` and `rows`. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  /** Calls `done` when the text is written, or cannot be. */
  readonly write: (text: string, done?: () => void) => unknown;
}

/** What the program reads and writes besides its arguments. */
export interface CliEnvironment {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
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
