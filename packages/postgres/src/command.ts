import { parseArgs } from 'node:util';
import { hideSecrets, hideSecretsOfUrl, secretsIn } from '@retry/core/broker/kit';
import { openPool } from './driver/open-pool.ts';
import { PostgresBrokerError } from './errors.ts';
import { migrate, migrationSql } from './migrate.ts';
import { A_URL, readMigrateOptions } from './options.ts';

/** A parsed command line. */
export type Command =
  | { readonly type: 'help' }
  | { readonly type: 'print'; readonly schema: string }
  | { readonly type: 'migrate'; readonly schema: string; readonly url: string };

/** The text of `--help`. */
const USAGE = `npx @retry/postgres migrate [options]

  --url <url>       the database to migrate (default: DATABASE_URL)
  --schema <name>   the schema of the tables (default: retry)
  --sql             print the statement instead of running it; running it twice is safe
  --help            print this`;

/**
 * Parses the command line.
 *
 * @throws {RetryError} `INVALID_OPTIONS` for unknown arguments; the message has the usage, and no password
 */
export function readCommand(args: readonly string[], env: { readonly DATABASE_URL?: string }): Command {
  const { values, positionals } = parse(args);
  if (values.help || args.length === 0) return { type: 'help' };
  if (positionals.length !== 1 || positionals[0] !== 'migrate') {
    const given = positionals.join(' ');
    // A word of letters is a mistyped command; anything else may be an address, or its password alone.
    const shown = /^[a-z -]*$/i.test(given) ? given : hideSecretsOfUrl(given);
    throw wrong(`the only command is migrate, got ${JSON.stringify(shown)}`);
  }
  const { schema } = readMigrateOptions({ schema: values.schema });
  if (values.sql) return { type: 'print', schema };
  const url = values.url ?? env.DATABASE_URL ?? '';
  if (url === '') throw wrong('no database is given. Set --url or DATABASE_URL, or use --sql');
  if (!A_URL.accepts(url)) {
    const source = values.url === undefined ? 'DATABASE_URL' : '--url';
    throw wrong(`${source} ${A_URL.message}, got ${JSON.stringify(hideSecretsOfUrl(url))}. ${A_URL.cure}`);
  }
  return { type: 'migrate', schema, url };
}

function parse(args: readonly string[]) {
  const options = {
    url: { type: 'string' },
    schema: { type: 'string' },
    sql: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw wrong(hideSecrets(error instanceof Error ? error.message : String(error), secretsIn(args)));
  }
}

function wrong(message: string): PostgresBrokerError {
  return new PostgresBrokerError('INVALID_OPTIONS', `${message}\n\n${USAGE}`);
}

/** Runs a command. @returns what to print */
export async function runCommand(command: Command): Promise<string> {
  switch (command.type) {
    case 'help':
      return USAGE;
    case 'print':
      return `${migrationSql({ schema: command.schema })};`;
    case 'migrate':
      return runMigration(command);
  }
}

async function runMigration({
  url,
  schema,
}: {
  readonly url: string;
  readonly schema: string;
}): Promise<string> {
  const pool = openPool(url, 1);
  try {
    return `The schema ${schema} has version ${await migrate(pool, { schema })}.`;
  } finally {
    await pool.close();
  }
}
