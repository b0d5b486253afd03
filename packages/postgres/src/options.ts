import type { Duration, Problem } from '@retry/core';
import { InvalidOptionsError } from '@retry/core';
import type { Fields } from '@retry/core/fields';
import { readOptions as readFieldsOf } from '@retry/core/fields';
import { hideIn } from './driver/secrets.ts';
import type { SqlClient } from './driver/sql-client.ts';

/** What a Postgres broker works with: one of `client` and `url`. */
export interface PostgresBrokerOptions {
  /** A `pg` pool or client, PGlite, or anything else with `query(text, values)`. It stays yours: close it yourself. */
  readonly client?: SqlClient | undefined;
  /** Where to connect; the broker opens a pool of `pg` of its own and closes it. */
  readonly url?: string | undefined;
  /** How many connections the broker opens for a `url`, besides the one that it listens on. @default 4 */
  readonly connections?: number | undefined;
  /** Where the tables are: 1 to 50 bytes, without `$`, backslashes and control characters. @default 'retry' */
  readonly schema?: string | undefined;
  /**
   * About how many completed, cancelled, dropped and disposable runs are kept, all together and the latest of them,
   * ≥ 0; `Infinity` keeps all. Other runs that failed, stalled or were rate limited are kept until they are redriven
   * or discarded.
   *
   * @default 1000
   */
  readonly keepCompleted?: number | undefined;
  /**
   * How long after the end of its run a `key` that a user gave stays known, when the run itself has been forgotten: as
   * long, a second submission of the same key is the first one. A kept key takes about 150 bytes.
   *
   * @default '1d'
   */
  readonly keepKeys?: Duration | undefined;
  /** Whether to listen for news of other processes; without it, and behind a pooler, idle workers look every second. @default true */
  readonly listen?: boolean | undefined;
  /**
   * Whether what is submitted in a transaction of yours wakes idle workers when that commits; without it they find it
   * at their next look, a second later at most. While a worker is idle it makes such commits wait for one another, all
   * over the server: Postgres hands out news in the order of commits.
   *
   * @default false
   */
  readonly wakeOnCommit?: boolean | undefined;
}

/** Options with their defaults. */
export interface PostgresBrokerSettings {
  readonly client: SqlClient | undefined;
  readonly url: string | undefined;
  readonly connections: number;
  readonly schema: string;
  readonly keepCompleted: number;
  readonly keepKeysMs: number;
  readonly listen: boolean;
  readonly wakeOnCommit: boolean;
}

const KEYS = [
  ...(['client', 'url', 'connections', 'schema', 'keepCompleted', 'keepKeys'] as const),
  ...(['listen', 'wakeOnCommit'] as const),
] satisfies readonly (keyof PostgresBrokerOptions)[];

const DEFAULT_SCHEMA = 'retry';

/** @throws {InvalidOptionsError} listing everything that is wrong, without passwords */
export function readOptions(options: PostgresBrokerOptions): PostgresBrokerSettings {
  return readSafely(
    options,
    { subject: 'Postgres broker', keys: KEYS, bare: BARE_CLIENT },
    (fields, report) => {
      const client = fields.optional('client', A_CLIENT);
      const url = fields.optional('url', A_URL);
      if ((fields.value('client') === undefined) === (fields.value('url') === undefined)) {
        report({
          path: '',
          value: options,
          message: 'needs either client or url',
          cure: 'Name one of them.',
        });
      }
      return {
        client,
        url,
        connections: fields.number('connections', 4, A_NUMBER_OF_CONNECTIONS),
        schema: readSchemaField(fields),
        keepCompleted: fields.number('keepCompleted', 1_000, A_NUMBER_KEPT),
        keepKeysMs: fields.duration('keepKeys', 864e5),
        listen: fields.choice('listen', true, [true, false]),
        wakeOnCommit: fields.choice('wakeOnCommit', false, [true, false]),
      };
    },
  );
}

/** @throws {InvalidOptionsError} for options of a migration that are wrong */
export function readMigrateOptions(options: unknown): { readonly schema: string } {
  return readSafely(options, { subject: 'migration', keys: ['schema'] }, (fields) => ({
    schema: readSchemaField(fields),
  }));
}

/** @throws {InvalidOptionsError} for what cannot run a statement */
export function checkClient(client: unknown): void {
  readSafely({ client }, { subject: 'migration', keys: ['client'] }, (fields) => {
    if (fields.optional('client', A_MIGRATING_CLIENT) === undefined && client === undefined)
      fields.fail('client', A_MIGRATING_CLIENT.message, A_MIGRATING_CLIENT.cure);
  });
}

/** Wrong values are shown without the passwords in them, also in the list of problems. */
function readSafely<Settings>(...[input, rules, read]: Parameters<typeof readFieldsOf<Settings>>): Settings {
  try {
    return readFieldsOf(input, rules, read);
  } catch (error) {
    if (!(error instanceof InvalidOptionsError)) throw error;
    throw new InvalidOptionsError(error.problems.map(hideInProblem), rules.subject);
  }
}

function hideInProblem(problem: Problem): Problem {
  const isSecret = /pass|pwd|secret|token/i.test(problem.path);
  return { ...problem, value: isSecret ? '***' : hideIn(problem.value) };
}

function readSchemaField(fields: Fields): string {
  return fields.optional('schema', A_SCHEMA) ?? DEFAULT_SCHEMA;
}

/** Characters that no name of a schema needs, and that some place where SQL is written reads as its own. */
const UNNAMEABLE = /[$\\\p{Cc}\p{Cs}]/u;

const A_SCHEMA = {
  accepts: (value: unknown): value is string =>
    typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= 50 && !UNNAMEABLE.test(value),
  message: 'must be a name of 1 to 50 bytes without $, backslashes and control characters',
  cure: `Leave it out for '${DEFAULT_SCHEMA}'.`,
};

const A_CLIENT = {
  accepts: (value: unknown): value is SqlClient =>
    typeof value === 'object' && value !== null && 'query' in value && typeof value.query === 'function',
  message: 'must have query(text, values)',
  cure: 'Give a pool or client of pg, or PGlite; give a connection string as url.',
};

const BARE_CLIENT = { accepts: A_CLIENT.accepts, cure: 'Use createPostgresBroker({ client }).' };

const A_MIGRATING_CLIENT = {
  ...A_CLIENT,
  cure: 'Give a pool or client of pg, or PGlite: await migrate(new pg.Pool({ connectionString })).',
};

const A_URL = {
  accepts: (value: unknown): value is string => typeof value === 'string' && isUrl(value),
  message: 'must be the URL of a Postgres database',
  cure: "Write it like 'postgres://user:password@host:5432/database', odd characters percent-encoded.",
};

/** What the driver reads as well: a URL, also without a host, or the path of a socket. */
function isUrl(url: string): boolean {
  if (url.startsWith('/') || url.startsWith('socket:')) return true;
  if (!/^postgres(?:ql)?:\/\//i.test(url)) return false;
  const written = url.includes(' ') ? encodeURI(url) : url;
  return URL.canParse(written) || URL.canParse(written.replace('@/', '@localhost/'));
}

const A_NUMBER_OF_CONNECTIONS = {
  accepts: (value: number): boolean => Number.isInteger(value) && value >= 1,
  message: 'must be an integer ≥ 1',
  cure: 'Leave it out for 4.',
};

const A_NUMBER_KEPT = {
  accepts: (value: number): boolean => value >= 0,
  message: 'must be ≥ 0',
  cure: 'Use 0 to keep none, Infinity to keep all.',
};
