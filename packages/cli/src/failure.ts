import { isRetryError } from '@retry/core';
import { hideSecrets, secretsIn } from '@retry/core/broker/kit';
import { CommanderError } from 'commander';
import { EXIT } from './exit.ts';
import { printable } from './terminal/printable.ts';

/** An error as it is printed. */
export interface FailureText {
  readonly exitCode: number;
  readonly json: { readonly code: string; readonly message: string; readonly problems?: readonly unknown[] };
  readonly text: string;
}

/** What is known of the call that failed. */
export interface FailedCall {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly verbose: boolean;
}

/** Exit statuses of errors that are no wrong usage. */
const EXIT_BY_CODE: Readonly<Record<string, number>> = {
  NO_SUCH_RUN: EXIT.found,
  NO_SUCH_GROUP: EXIT.found,
  NO_SUCH_QUEUE: EXIT.unreachable,
  SERVER_UNREACHABLE: EXIT.unreachable,
  REDIS_UNREACHABLE: EXIT.unreachable,
  POSTGRES_UNREACHABLE: EXIT.unreachable,
  REDIS_TOO_OLD: EXIT.unreachable,
  OLDER_SCHEMA: EXIT.unreachable,
  NEWER_SCHEMA: EXIT.unreachable,
  MISSING_RIGHTS: EXIT.unreachable,
  REDIS_READ_ONLY: EXIT.unreachable,
  READ_ONLY_SERVER: EXIT.unreachable,
  NARROW_ENCODING: EXIT.unreachable,
};

/** Returns what to print for an error: what, where and the cure, without passwords; the stack only with `--verbose`. */
export function describeFailure(error: unknown, { args, env, verbose }: FailedCall): FailureText {
  const secrets = secretsIn([...args, ...Object.values(env).filter((value) => value !== undefined)]);
  const { code, message, exitCode } = classify(error);
  const shown = safe(hideSecrets(message, secrets));
  const stack = verbose && error instanceof Error ? `\n${safe(hideSecrets(error.stack ?? '', secrets))}` : '';
  const problems = isRetryError(error, 'INVALID_OPTIONS') && 'problems' in error ? error.problems : undefined;
  return {
    exitCode,
    json: { code, message: shown, ...(Array.isArray(problems) && { problems }) },
    text: shown + stack,
  };
}

function classify(error: unknown): { code: string; message: string; exitCode: number } {
  if (error instanceof CommanderError) {
    return { code: 'WRONG_USAGE', message: usageMessage(error), exitCode: EXIT.usage };
  }
  if (isRetryError(error)) {
    return { code: error.code, message: error.message, exitCode: EXIT_BY_CODE[error.code] ?? EXIT.usage };
  }
  const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const message = `${said}. This is a bug of retry; --verbose prints where it is.`;
  return { code: 'INTERNAL', message, exitCode: EXIT.internal };
}

/** What people write who know other programs, and what to write instead. */
const MEANT: readonly (readonly [written: RegExp, cure: string])[] = [
  [/^unknown option '--(max-)?retries'/, 'Use --attempts, which counts the first execution, too.'],
  [/^unknown command 'help'/, 'Use retry --help, or --help behind a command.'],
];

/** Returns the parser's message as a sentence: `error: unknown option '--limti'\n(Did you mean --limit?)`. */
function usageMessage({ message }: CommanderError): string {
  const [what = '', ...more] = message.replace(/^error: /, '').split('\n');
  const meant = MEANT.find(([written]) => written.test(what))?.[1];
  const hint = meant ?? more.map((line) => line.replace(/^\((.*)\)$/, '$1')).join(' ');
  const sentence = /[.?!]$/.test(what) ? what : `${what}.`;
  return `${sentence}${hint === '' ? '' : ` ${hint}`} --help lists what there is.`;
}

/** Keeps line breaks, which lists of problems have. */
function safe(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
