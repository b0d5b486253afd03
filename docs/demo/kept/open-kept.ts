import { createRedisBroker } from '@retry/redis-queue';
// The demo finds its servers as the tests do.
import { startPrivateRedis } from '../../../test/support/servers/redis.ts';
import { removeKeys } from '../../../test/support/servers/remove-keys.ts';
import type { BrokerName, OpenBroker } from '../brokers/open-broker.ts';
import { openPGlite, openServer, pgliteFolder } from '../brokers/open-on-postgres.ts';

/** An open broker whose runs stay when it is closed, and how the program `retry` finds them. */
export interface KeptBroker extends OpenBroker {
  /** The options of `retry` that lead there; without a password. */
  readonly options: string;
  /** Present where the server is the demo's own: stops it. */
  readonly stopServer?: () => Promise<void>;
}

const BROKERS = { memory: refuseMemory, redis: openOnRedis, postgres: openOnPostgres };

/** Opens an empty broker; what an earlier demo has left there is removed. @throws {Error} for memory */
export function openKept(name: BrokerName): Promise<KeptBroker> {
  return BROKERS[name]();
}

async function refuseMemory(): Promise<never> {
  throw new Error(
    '--keep needs a queue that outlives the demo, and memory does not. Use --broker postgres or --broker redis.',
  );
}

/** The name of the folder, the schema, or the prefix of the keys. */
const NAME = 'retry-demo-kept';

function openOnRedis(): Promise<KeptBroker> {
  return process.env['REDIS_URL'] ? openGivenRedis(process.env['REDIS_URL']) : openOwnRedis();
}

async function openGivenRedis(url: string): Promise<KeptBroker> {
  const broker = createRedisBroker({ url, prefix: NAME });
  await broker.ready();
  await removeKeys(url, NAME);
  // The URL may have a password.
  const options = `--url "$REDIS_URL" --prefix ${NAME}`;
  return { broker, where: 'on the Redis of REDIS_URL', options, close: broker.close };
}

async function openOwnRedis(): Promise<KeptBroker> {
  const { url, source, stop } = await startPrivateRedis();
  const broker = createRedisBroker({ url });
  return { broker, where: `on ${source}`, options: `--url ${url}`, close: broker.close, stopServer: stop };
}

async function openOnPostgres(): Promise<KeptBroker> {
  const url = process.env['DATABASE_URL'];
  if (!url) {
    const open = await openPGlite(NAME, { schema: 'retry', start: 'afresh' });
    return { ...open, options: `--url pglite:${pgliteFolder(NAME)}` };
  }
  const schema = NAME.replaceAll('-', '_');
  const open = await openServer(url, { schema, start: 'afresh' });
  return { ...open, options: `--url "$DATABASE_URL" --schema ${schema}` };
}
