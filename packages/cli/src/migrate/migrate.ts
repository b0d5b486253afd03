import type { ConnectOptions } from '../connect/connect-options.ts';
import { configuredOptions, findTarget } from '../connect/find-target.ts';
import { loadPostgres, openDatabase } from '../connect/open-broker.ts';
import { serverOf, withErrorsOf } from '../connect/server-errors.ts';
import { CliError } from '../errors.ts';
import type { Input, Report } from '../report.ts';

/** The options of `retry migrate`. */
interface MigrateCommandOptions extends ConnectOptions {
  /** Print the statement, and ask no server. */
  readonly sql?: boolean;
}

const DEFAULT_SCHEMA = 'retry';

/** Brings the schema of Postgres or PGlite to the version of the installed package. */
export async function migrateAction({ options, environment }: Input<MigrateCommandOptions>): Promise<Report> {
  const { cwd } = environment;
  if (options.sql === true) {
    const { migrationSql } = await loadPostgres(cwd);
    const { schema = DEFAULT_SCHEMA } =
      options.schema === undefined ? await configuredOptions(options, environment) : options;
    const sql = `${migrationSql({ schema })};`;
    return { json: { schema, sql }, text: () => sql };
  }
  const found = await findTarget(options, environment);
  if (!('target' in found) || found.target.type === 'redis') {
    const shown = 'target' in found ? found.target.shown : found.shown;
    const cure = 'Redis needs none; give the --url of Postgres or PGlite.';
    throw new CliError('WRONG_USAGE', `${shown} has no schema to migrate. ${cure}`);
  }
  const { target } = found;
  const { schema = DEFAULT_SCHEMA } = target;
  const { migrate } = await loadPostgres(cwd);
  const version = await withErrorsOf(serverOf(target), async () => {
    const { client, close } = await openDatabase(target, cwd, { mayCreate: true });
    try {
      return await migrate(client, { schema });
    } finally {
      await close();
    }
  });
  return { json: { schema, version }, text: () => `The schema ${schema} has version ${version}.` };
}
