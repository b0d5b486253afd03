import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Broker } from '@retry/core/broker';
import { createPostgresBroker, migrate } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { openPGlite } from '../../support/pglite.ts';
import { describeOnPostgres } from '../../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../../support/servers/describe-on-redis.ts';
import { removeKeys } from '../../support/servers/remove-keys.ts';

/** A queue on a server, as a command line names it. */
export interface ServedQueue {
  /** `--url … --prefix …`. */
  readonly args: readonly string[];
  /** Does something with a broker of its own. PGlite is open in one process at a time, so it is closed again. */
  readonly use: <Outcome>(work: (broker: Broker) => Promise<Outcome>) => Promise<Outcome>;
}

/** In PGlite, where to open the folder for each command takes seconds, each sixth test runs: the statements are those of Postgres. */
const EACH = 6;

/** Runs tests on a queue of their own on Redis, Postgres and PGlite. */
export function describeOnServers(name: string, body: (queue: () => ServedQueue) => void): void {
  const own = `retry_cli_${process.pid}_${Math.trunc(performance.now())}`;
  describeOnRedis(`${name} on Redis`, (server) => {
    afterAll(() => removeKeys(server().url, own));
    const open = () => createRedisBroker({ url: server().url, prefix: own });
    body(() => ({ args: ['--url', server().url, '--prefix', own], use: using(open) }));
  });
  describeOnPostgres(`${name} on Postgres`, (server) => {
    beforeAll(() => withPool(server().url, (pool) => migrate(pool, { schema: own })));
    afterAll(() => withPool(server().url, (pool) => pool.query(`drop schema if exists ${own} cascade`)));
    const open = () => createPostgresBroker({ url: server().url, schema: own });
    body(() => ({ args: ['--url', server().url, '--schema', own], use: using(open) }));
  });
  describe(`${name} on PGlite`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'retry-cli-pglite-'));
    const open = async (): Promise<Broker> => {
      const client = await openPGlite(folder);
      await migrate(client);
      const broker = createPostgresBroker({ client });
      return { ...broker, close: () => broker.close().then(() => client.close()) };
    };
    afterAll(() => rmSync(folder, { recursive: true }));
    let passed = 0;
    beforeEach(({ skip }) => {
      passed += 1;
      skip(passed % EACH !== 1, 'each sixth one runs in PGlite');
    });
    body(() => ({ args: ['--url', `pglite:${folder}`], use: using(open) }));
  });
}

function using(open: () => Broker | Promise<Broker>): ServedQueue['use'] {
  return async (work) => {
    const broker = await open();
    try {
      return await work(broker);
    } finally {
      await broker.close();
    }
  };
}

async function withPool(url: string, work: (pool: pg.Pool) => Promise<unknown>): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  await work(pool).finally(() => pool.end());
}
