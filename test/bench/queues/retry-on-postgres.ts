import { createPostgresBroker, migrate } from '@retry/postgres';
import pg from 'pg';
import type { Contender } from './contender.ts';
import type { Settings } from './on-retry.ts';
import { contendOnRetry } from './on-retry.ts';

/** How the broker reaches the database: by a plain pool of the user's, or by a URL. */
type Way = 'pool' | 'url';

/** Our own queue on Postgres. */
export function retryOnPostgres(way: Way, settings: Settings = {}): Contender {
  return contendOnRetry(async ({ url, name }) => {
    const pool = new pg.Pool({ connectionString: url });
    pool.on('error', () => {});
    await migrate(pool, { schema: name });
    if (way === 'pool') {
      const broker = createPostgresBroker({ client: pool, schema: name });
      return { broker, close: () => broker.close().then(() => pool.end()) };
    }
    await pool.end();
    const broker = createPostgresBroker({ url, schema: name });
    return { broker, close: () => broker.close() };
  }, settings);
}
