import { createPostgresBroker } from '@retry/postgres';
import type { Pool } from 'pg';

/** A broker on one connection of a pool; when that connection ends, `onLost` is the moment to open another. */
export const brokerOnOneConnection = async (pool: Pool, onLost: (error: Error) => void, schema = 'retry') => {
  const client = await pool.connect();
  let isOver = false;
  const giveBack = (error?: Error) => {
    if (isOver) return;
    isOver = true;
    if (error === undefined) client.off('error', giveBack); // a broken connection may emit another one
    client.release(error);
    if (error !== undefined) onLost(error);
  };
  client.on('error', giveBack);
  const broker = createPostgresBroker({ client, schema });
  return { broker, close: async () => broker.close().finally(() => giveBack()) };
};
