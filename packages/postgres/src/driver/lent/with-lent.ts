import type { LentClient, PoolLike } from '../../wake/subscription.ts';

/**
 * Lends a connection of a pool, and gives it back.
 *
 * @param use - calls `onBroken` where the connection cannot be used again: then it is closed
 */
export async function withLent<Answer>(
  pool: PoolLike,
  use: (client: LentClient, onBroken: () => void) => Promise<Answer>,
): Promise<Answer> {
  const client = await pool.connect();
  let isBroken = false;
  const onBroken = (): void => {
    isBroken = true;
  };
  // A connection that breaks emits `error`, which would end the process; its statement rejects as well.
  client.on('error', onBroken);
  try {
    return await use(client, onBroken);
  } finally {
    client.off('error', onBroken);
    client.release?.(isBroken);
  }
}
