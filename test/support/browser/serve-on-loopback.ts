import { createServer } from 'node:http';
import type { Board } from '@retry/board';
import { toNodeListener } from '@retry/board';

/** A board that a browser can open. */
export interface OnLoopback {
  /** Without a slash at its end. */
  readonly origin: string;
  /** Closes the board, too. */
  readonly close: () => Promise<void>;
}

/** Serves a board on a free port of the loopback. */
export async function serveOnLoopback(board: Board): Promise<OnLoopback> {
  const server = createServer(toNodeListener(board));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      board.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
