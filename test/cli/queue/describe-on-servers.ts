import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Broker } from '@retry/core/broker';
import { createPostgresBroker, migrate } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import pg from 'pg';
import { afterAll, beforeAll, describe, it as everyTest } from 'vitest';
import { openPGlite } from '../../support/pglite.ts';
import { describeOnPostgres } from '../../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../../support/servers/describe-on-redis.ts';
import { removeKeys } from '../../support/servers/remove-keys.ts';
import { eachNth, onlyNamed } from '../../support/some-tests.ts';

/** A queue on a server, as a command line names it. */
export interface ServedQueue {
  /** `--url … --prefix …`. */
  readonly args: readonly string[];
  /** Does something with a broker of its own. PGlite is open in one process at a time, so it is closed again. */
  readonly use: <Outcome>(work: (broker: Broker) => Promise<Outcome>) => Promise<Outcome>;
}

/** Which test runs in PGlite, where to open the folder for each command takes seconds. */
export interface OnServers {
  readonly inPGlite: string;
}

/** Defines tests of a queue, by the `it` that it is given. */
type Body = (queue: () => ServedQueue, it: typeof everyTest) => void;

/**
 * Runs tests on a queue of their own: all of them on Redis, each third on Postgres, one in PGlite. What the program makes of the port is
 * the same on each.
 */
export function describeOnServers(name: string, { inPGlite }: OnServers, body: Body): void {
  const own = `retry_cli_${process.pid}_${Math.trunc(performance.now())}`;
  describeOnRedis(`${name} on Redis`, (server) => {
    afterAll(() => removeKeys(server().url, own));
    const open = () => createRedisBroker({ url: server().url, prefix: own });
    body(() => ({ args: ['--url', server().url, '--prefix', own], use: using(open) }), everyTest);
  });
  describeOnPostgres(`${name} on Postgres`, (server) => {
    beforeAll(() => withPool(server().url, (pool) => migrate(pool, { schema: own })));
    afterAll(() => withPool(server().url, (pool) => pool.query(`drop schema if exists ${own} cascade`)));
    const open = () => createPostgresBroker({ url: server().url, schema: own });
    body(() => ({ args: ['--url', server().url, '--schema', own], use: using(open) }), eachNth(3, 'Redis'));
  });
  describe(`${name} on PGlite`, { meta: { engine: 'PGlite' } }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'retry-cli-pglite-'));
    const open = async (): Promise<Broker> => {
      const client = await openPGlite(folder);
      await migrate(client);
      const broker = createPostgresBroker({ client });
      return { ...broker, close: () => broker.close().then(() => client.close()) };
    };
    afterAll(() => rmSync(folder, { recursive: true }));
    body(() => ({ args: ['--url', `pglite:${folder}`], use: using(open) }), onlyNamed(inPGlite, 'Redis'));
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
