import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { nodeArgs } from './node-args.ts';

/**
 * Starts a TypeScript program in a process of its own. What it writes to its stderr is an output of the test that started it, which
 * a test that passes has none of.
 *
 * @param args - the file of the program, then its arguments
 */
export function startProgram(args: readonly string[]): ChildProcessByStdio<null, Readable, Readable> {
  const child = spawn(process.execPath, [...nodeArgs(), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr.setEncoding('utf8').on('data', (text: string) => console.error(text.trimEnd()));
  return child;
}
