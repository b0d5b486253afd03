import { isRetryError } from '@retry/core';
import type { BrokerErrorCode } from '@retry/core/broker';
import { hideSecrets, secretsIn } from '@retry/core/broker/kit';
import type { PostgresErrorCode } from '@retry/postgres';
import type { RedisErrorCode } from '@retry/redis-queue';
import { CommanderError } from 'commander';
import type { CliErrorCode } from './errors.ts';
import { EXIT } from './exit.ts';
import { printable } from './terminal/printable.ts';

/** An error as it is printed. */
interface FailureText {
  readonly exitCode: number;
  readonly json: { readonly code: string; readonly message: string; readonly problems?: readonly unknown[] };
  readonly text: string;
}

/** What is known of the call that failed. */
interface FailedCall {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly verbose: boolean;
  /** Which commands may be meant where there is none of this name. */
  readonly commandsMeant: () => readonly string[];
}

/** The codes of errors that brokers throw. */
type BrokerCode = BrokerErrorCode | PostgresErrorCode | RedisErrorCode;

const { found, usage, unreachable } = EXIT;

/** Exit statuses by codes; those of other packages are wrong usage. */
const EXIT_BY_CODE = {
  BLOCKED_MIGRATION: unreachable,
  BROKER_CLOSED: unreachable,
  CANNOT_LISTEN: usage,
  CHANGED_REPLY: usage,
  CLIENT_CONVERTS_REPLIES: usage,
  CLIENT_NOT_CONNECTED: unreachable,
  FORGETTING_FAILED: unreachable,
  INVALID_OPTIONS: usage,
  INVALID_SETTLEMENT: usage,
  MISSING_RIGHTS: unreachable,
  NARROW_ENCODING: unreachable,
  NEEDS_CLUSTER_CLIENT: unreachable,
  NEEDS_ONE_PARTITION: usage,
  NEWER_SCHEMA: unreachable,
  NOTES_BUSY: unreachable,
  NOT_AWAITED: usage,
  NO_CONNECTION: usage,
  NO_DRIVER: usage,
  NO_PACKAGE: usage,
  NO_SUCH_GROUP: found,
  NO_SUCH_QUEUE: unreachable,
  NO_SUCH_RUN: found,
  NO_TRANSACTION: usage,
  OLDER_SCHEMA: unreachable,
  POOL_EXHAUSTED: unreachable,
  POSTGRES_UNREACHABLE: unreachable,
  READ_ONLY_SERVER: unreachable,
  REDIS_CANNOT_WAIT: unreachable,
  REDIS_MAY_EVICT: unreachable,
  REDIS_NOT_DURABLE: unreachable,
  REDIS_READ_ONLY: unreachable,
  REDIS_TOO_OLD: unreachable,
  REDIS_UNREACHABLE: unreachable,
  SERVER_REFUSED: unreachable,
  SERVER_UNREACHABLE: unreachable,
  UNKEEPABLE_TEXT: usage,
  UNREADABLE_FILE: usage,
  WRONG_CONFIG: usage,
  WRONG_USAGE: usage,
} as const satisfies Readonly<Record<BrokerCode | CliErrorCode, number>>;

/** Returns what to print for an error: what, where and the cure, without passwords; the stack only with `--verbose`. */
export function describeFailure(
  error: unknown,
  { args, env, verbose, commandsMeant }: FailedCall,
): FailureText {
  const secrets = secretsIn([...args, ...Object.values(env).filter((value) => value !== undefined)]);
  const { code, message, exitCode } = classify(error, commandsMeant);
  const shown = safe(hideSecrets(message, secrets));
  const stack = verbose && error instanceof Error ? `\n${safe(hideSecrets(error.stack ?? '', secrets))}` : '';
  const problems = isRetryError(error, 'INVALID_OPTIONS') && 'problems' in error ? error.problems : undefined;
  return {
    exitCode,
    json: { code, message: shown, ...(Array.isArray(problems) && { problems }) },
    text: shown + stack,
  };
}

function classify(
  error: unknown,
  commandsMeant: FailedCall['commandsMeant'],
): { code: string; message: string; exitCode: number } {
  if (error instanceof CommanderError) {
    return { code: 'WRONG_USAGE', message: usageMessage(error, commandsMeant), exitCode: EXIT.usage };
  }
  if (isRetryError(error)) {
    const exitCode = Object.entries(EXIT_BY_CODE).find(([code]) => code === error.code)?.[1] ?? usage;
    return { code: error.code, message: error.message, exitCode };
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
function usageMessage({ message, code }: CommanderError, commandsMeant: FailedCall['commandsMeant']): string {
  const [what = '', ...more] = message.replace(/^error: /, '').split('\n');
  const meant = MEANT.find(([written]) => written.test(what))?.[1];
  const commands = code === 'commander.unknownCommand' ? commandsMeant() : [];
  const other = commands.length === 0 ? undefined : `Did you mean ${commands.join(' or ')}?`;
  const hint = meant ?? other ?? more.map((line) => line.replace(/^\((.*)\)$/, '$1')).join(' ');
  const sentence = /[.?!]$/.test(what) ? what : `${what}.`;
  return `${sentence}${hint === '' ? '' : ` ${hint}`} --help lists what there is.`;
}

/** Keeps line breaks, which lists of problems have. */
function safe(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
