import { Readable, Writable } from 'node:stream';
import type { CliEnvironment } from '../environment.ts';
import { CliError } from '../errors.ts';

/**
 * Asks a question where a person is at standard input; where none is, it is answered with yes, because the option that asked for it
 * was given.
 *
 * @returns `false` for no, and for Ctrl-C
 * @throws {CliError} `WRONG_USAGE` when the person would not see the question
 */
export async function confirm(question: string, { stdin, stderr }: CliEnvironment): Promise<boolean> {
  const isPerson = stdin instanceof Readable && 'isTTY' in stdin && stdin.isTTY === true;
  if (!isPerson) return true;
  if (stderr.isTTY !== true || !(stderr instanceof Writable)) {
    const problem = `standard error is no terminal, so that nobody can be asked: ${question}`;
    throw new CliError('WRONG_USAGE', `${problem} Give --yes.`);
  }
  const clack = await import('@clack/prompts');
  return (
    (await clack.confirm({ message: question, initialValue: false, input: stdin, output: stderr })) === true
  );
}
