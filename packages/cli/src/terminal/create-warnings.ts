import { isRetryError } from '@retry/core';
import { hideSecrets } from '@retry/core/broker/kit';
import type { CliEnvironment } from '../environment.ts';
import { printable } from './printable.ts';

/** Prints what fails while a command goes on: while the board is served, or an operation is carried on. */
interface Warnings {
  /** Prints a failure; the same one is printed once, until there is another one. */
  readonly warn: (error: unknown, doing: string) => void;
  /** Ends it: from now on nothing is printed. */
  readonly end: () => void;
}

/** Creates warnings on standard error, without passwords; with `--json` each is a line of JSON. */
export function createWarnings(
  { stderr }: Pick<CliEnvironment, 'stderr'>,
  { json = false }: { readonly json?: boolean } = {},
): Warnings {
  let latest: string | undefined;
  let hasEnded = false;
  return {
    warn: (error, doing) => {
      const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      const line = printable(hideSecrets(text));
      if (hasEnded || line === latest) return;
      latest = line;
      const message = `${doing} failed. ${line}`;
      const code = isRetryError(error) ? error.code : 'BROKER_FAILED';
      stderr.write(`${json ? JSON.stringify({ error: { code, message } }) : `retry: ${message}`}\n`);
    },
    end: () => {
      hasEnded = true;
    },
  };
}
