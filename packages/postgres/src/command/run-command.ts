import { openPool } from '../driver/open-pool.ts';
import { migrate, migrationSql } from '../migrate.ts';
import type { Command } from './read-command.ts';
import { USAGE } from './read-command.ts';

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
