/** A connection of a pool, which emits `error` when it breaks. */
interface Lent {
  readonly on: (event: 'error', listener: () => void) => unknown;
  readonly off: (event: 'error', listener: () => void) => unknown;
  readonly release?: (destroy?: boolean) => void;
}

/**
 * Lends a connection of a pool, and gives it back.
 *
 * @param use - calls `onBroken` where the connection cannot be used again: then it is closed
 */
export async function withLent<Connection extends Lent, Answer>(
  pool: { readonly connect: () => Promise<Connection> },
  use: (connection: Connection, onBroken: () => void) => Promise<Answer>,
): Promise<Answer> {
  const connection = await pool.connect();
  let isBroken = false;
  const onBroken = (): void => {
    isBroken = true;
  };
  // A connection that breaks emits `error`, which would end the process; its statement, or its next one, rejects as well.
  connection.on('error', onBroken);
  try {
    return await use(connection, onBroken);
  } finally {
    connection.off('error', onBroken);
    connection.release?.(isBroken);
  }
}
