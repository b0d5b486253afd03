import type { RetentionOptions, RetentionSettings } from '@retry/core/broker/kit';
import { RETENTION_KEYS, RETENTION_SYNONYMS, readBrokerOptions, readRetention } from '@retry/core/broker/kit';
import type { Fields, Synonyms } from '@retry/core/fields';
import { A_FUNCTION } from '@retry/core/fields';
import type { SqlClient } from './driver/sql-client.ts';

/**
 * Options of a Postgres broker: a `url`, or a `client`. What is beyond `keepCompleted` is forgotten in batches, so that up to half as
 * many runs more are kept meanwhile, and an eighth more bytes.
 */
export interface PostgresBrokerOptions extends RetentionOptions {
  /** The database; the broker opens a pool of `pg`, and closes it. */
  readonly url?: string | undefined;
  /** A `pg` pool or client, PGlite, or anything else with `query(text, values)`. It stays open when the broker closes. */
  readonly client?: SqlClient | undefined;
  /**
   * The schema of the tables: brokers of one schema share their runs. 1 to 50 bytes, without `$`, backslashes and control
   * characters.
   *
   * @default 'retry'
   */
  readonly schema?: string | undefined;
  /**
   * How many connections calls use at the same time, besides the one for notifications: of the pool that the broker opens for
   * a `url`, or of a pool of yours.
   *
   * @default 4
   */
  readonly connections?: number | undefined;
  /** Whether idle workers are notified by other processes; without it, and behind a pooler, they poll every second. @default true */
  readonly listen?: boolean | undefined;
  /**
   * Whether submissions in a transaction of yours wake idle workers when it commits; without it, workers find them by their
   * next poll, a second later at most. While a worker is idle, such commits wait for one another on the whole server:
   * Postgres sends notifications in the order of commits.
   *
   * @default false
   */
  readonly wakeOnCommit?: boolean | undefined;
  /**
   * Called with errors of connections that no call was using, of the pool that the broker opened, or of yours, which are replaced when
   * needed; and with `FORGETTING_FAILED`. What it throws is a process warning.
   *
   * @default a process warning, `RETRY_UNHANDLED_ERROR`, one a minute at most; none where your pool has an `error` listener
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Options with their defaults. */
export interface PostgresBrokerSettings {
  readonly url: string | undefined;
  readonly client: SqlClient | undefined;
  readonly schema: string;
  readonly connections: number;
  readonly retention: RetentionSettings;
  readonly listen: boolean;
  readonly wakeOnCommit: boolean;
  readonly onError: ((error: unknown) => void) | undefined;
}

const KEYS = [
  ...(['url', 'client', 'schema', 'connections', ...RETENTION_KEYS] as const),
  ...(['listen', 'wakeOnCommit', 'onError'] as const),
] satisfies readonly (keyof PostgresBrokerOptions)[];

/** Names of our keys elsewhere. */
const SYNONYMS: Synonyms = [
  [/^(pool|pgPool|pg|postgres|sql|pglite|db|connection|driver|knex|executeSql)$/, 'client'],
  [/^(connectionString|databaseUrl|uri|dsn)$/, 'url'],
  [
    /^(host|port|user|password|database|ssl|path|socket)$/,
    "url: 'postgres://user:password@host:5432/database'",
  ],
  [/^(schemaName|prefix|namespace|queue(Name)?|tableName)$/, 'schema'],
  ...RETENTION_SYNONYMS,
  [/^(max|poolSize|maxPoolSize|maxConnections)$/, 'connections'],
];

const CURES = {
  migrate: 'Call await migrate(client), or run npx retry-postgres migrate, when you deploy.',
  pollInterval: 'It belongs to the worker: createWorker({ pollInterval }).',
};

/** Where the tables are, unless the user names another schema. */
export const DEFAULT_SCHEMA = 'retry';

/** Checks options and fills in the defaults. @throws {InvalidOptionsError} listing every problem, without passwords */
export function readOptions(options: PostgresBrokerOptions): PostgresBrokerSettings {
  return readBrokerOptions(
    options,
    { subject: 'Postgres broker', keys: KEYS, synonyms: SYNONYMS, cures: CURES, bare: BARE_CLIENT },
    (fields, report) => {
      const client = fields.optional('client', A_CLIENT);
      const url = fields.optional('url', A_URL);
      const hasClient = fields.value('client') !== undefined;
      if (hasClient === (fields.value('url') !== undefined))
        fields.fail('', 'needs a url or a client, and not both', hasClient ? LEAVE_ONE : USE_ONE);
      return {
        url,
        client,
        schema: readSchemaField(fields),
        connections: fields.number('connections', 4, A_NUMBER_OF_CONNECTIONS),
        retention: readRetention(fields, report),
        listen: fields.choice('listen', true, [true, false]),
        wakeOnCommit: fields.choice('wakeOnCommit', false, [true, false]),
        onError: fields.optional('onError', A_FUNCTION) as PostgresBrokerOptions['onError'], // called with one argument
      };
    },
  );
}

/** Checks the options of a migration. @throws {InvalidOptionsError} listing every problem */
export function readMigrateOptions(options: unknown): { readonly schema: string } {
  return readBrokerOptions(options, { subject: 'migration', keys: ['schema'] }, (fields) => ({
    schema: readSchemaField(fields),
  }));
}

/** Checks the client of a migration. @throws {InvalidOptionsError} for anything without `query` */
export function checkClient(client: unknown): void {
  readBrokerOptions({ client }, { subject: 'migration', keys: ['client'] }, (fields) => {
    if (fields.optional('client', A_MIGRATING_CLIENT) === undefined && client === undefined)
      fields.fail('client', A_MIGRATING_CLIENT.message, A_MIGRATING_CLIENT.cure);
  });
}

function readSchemaField(fields: Fields): string {
  return fields.optional('schema', A_SCHEMA) ?? DEFAULT_SCHEMA;
}

/** Characters that no schema needs in its name, and that have a meaning of their own somewhere in SQL texts. */
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
  cure: 'Pass a pool or client of pg, or PGlite; pass a connection string as url.',
};

const USE_ONE = 'Use createPostgresBroker({ url }), or createPostgresBroker({ client }).';

const LEAVE_ONE = 'Leave one of them out.';

const BARE_CLIENT = { accepts: A_CLIENT.accepts, cure: 'Use createPostgresBroker({ client }).' };

const A_MIGRATING_CLIENT = {
  ...A_CLIENT,
  cure: 'Pass a pool or client of pg, or PGlite: await migrate(new pg.Pool({ connectionString })).',
};

/** What a `url` has to be. */
export const A_URL = {
  accepts: (value: unknown): value is string => typeof value === 'string' && isUrl(value),
  message: 'must be the URL of a Postgres database',
  cure: "Write it like 'postgres://user:password@host:5432/database', odd characters percent-encoded.",
};

/** Accepts what the driver accepts: a URL, also without a host, or the path of a socket. */
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
