import { Readable, Writable } from 'node:stream';
import type { Operation } from '@retry/core/broker';
import type { CliEnvironment, OutputStream } from '../environment.ts';

/**
 * Asks a question on a terminal; without one it is answered with yes, because the option that asked for it was given.
 *
 * @returns `false` for no, and for Ctrl-C
 */
export async function confirm(question: string, { stdin, stderr }: CliEnvironment): Promise<boolean> {
  const terminal = terminalOf(stdin, stderr);
  if (terminal === undefined) return true;
  const clack = await import('@clack/prompts');
  return (await clack.confirm({ message: question, initialValue: false, ...terminal })) === true;
}

/** What is shown while an operation goes on. */
export interface Progress {
  readonly title: string;
  readonly total: number;
  readonly isSilent: boolean;
}

const POLL_MS = 100;

/** Looks at an operation until it has ended or is paused, and shows on a terminal how far it is. */
export async function followProgress(
  look: () => Promise<Operation>,
  { title, total, isSilent }: Progress,
  { stdin, stderr }: CliEnvironment,
): Promise<Operation> {
  const terminal = isSilent ? undefined : terminalOf(stdin, stderr);
  const bar =
    terminal === undefined
      ? undefined
      : (await import('@clack/prompts')).progress({ max: Math.max(total, 1), output: terminal.output });
  bar?.start(title);
  for (let shown = 0; ; ) {
    const operation = await look();
    const gone = operation.done + operation.skipped;
    bar?.advance(gone - shown, `${title} ${gone} of ${total}`);
    shown = gone;
    if (operation.state !== 'running') {
      bar?.stop(`${title} ${gone} of ${total}`);
      return operation;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/** Returns the terminal, if there is one to ask on. */
function terminalOf(input: CliEnvironment['stdin'], output: OutputStream): Terminal | undefined {
  const isThere = output.isTTY === true && 'isTTY' in input && input.isTTY === true;
  return isThere && input instanceof Readable && output instanceof Writable ? { input, output } : undefined;
}
