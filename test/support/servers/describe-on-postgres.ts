import type { TestOptions } from 'vitest';
import { afterAll, beforeAll, describe } from 'vitest';
import type { PostgresServer } from './postgres.ts';
import { findPostgresFolder, openPostgres, POSTGRES_CURE } from './postgres.ts';

/** What the summary of a run counts the tests by. */
const ON_POSTGRES = { engine: 'Postgres' } as const;

/** Tests that need a real Postgres: run on one, or visibly skipped with the command that would supply it. */
export function describeOnPostgres(
  name: string,
  body: (server: () => PostgresServer) => void,
  options: TestOptions = {},
): void {
  const isThere = Boolean(process.env['DATABASE_URL']) || findPostgresFolder() !== undefined;
  if (!isThere) {
    describe.skip(`${name} (not run: no Postgres here. ${POSTGRES_CURE})`, () => body(() => missing()));
    return;
  }
  describe(name, { ...options, meta: ON_POSTGRES }, () => {
    let server: PostgresServer | undefined;
    beforeAll(async () => {
      server = await openPostgres();
    });
    afterAll(() => server?.stop());
    body(() => server ?? missing());
  });
}

/** Tests that kill, stop or reconfigure their server: always a private one. */
export function describeOnPrivatePostgres(name: string, body: () => void): void {
  if (findPostgresFolder() !== undefined) describe(name, { meta: ON_POSTGRES }, body);
  else describe.skip(`${name} (not run: no postgres on this machine. ${POSTGRES_CURE})`, body);
}

function missing(): never {
  throw new Error(`No Postgres server is running. ${POSTGRES_CURE}`);
}
