import { createServer } from 'node:http';
import { createBoard, toNodeListener } from '@retry/board';
import type { Broker } from '@retry/core/broker';

/** A board on the loopback. */
export interface ServedBoard {
  /** With a slash at its end. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Serves a board for reading, as it is by default. */
export async function serveBoard(broker: Broker): Promise<ServedBoard> {
  const board = createBoard({ broker });
  const server = createServer(toNodeListener(board));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`,
    close: async () => {
      board.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
