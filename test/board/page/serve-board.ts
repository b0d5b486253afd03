import { createServer } from 'node:http';
import { createBoard, type Granted, toNodeListener } from '@retry/board';
import { type BelievableQueue, fillQueue, TASKS } from './believable-queue.ts';

/** A board on the loopback, with a queue that is filled. */
export interface ServedBoard {
  /** Where it is mounted, without a slash at its end. */
  readonly url: string;
  readonly queue: BelievableQueue;
  close(): Promise<void>;
}

const BASE_PATH = '/admin/retries';

/** Every right. */
export const EVERYTHING = {
  read: true,
  redrive: true,
  discard: true,
  cancel: true,
  hold: true,
  edit: true,
  unmask: true,
};

/** Serves a board on which visitors may do everything, or only what is given. */
export async function serveBoard({
  rights = EVERYTHING,
  mails = 140,
}: {
  readonly rights?: Granted;
  readonly mails?: number;
} = {}): Promise<ServedBoard> {
  const queue = await fillQueue({ mails });
  const access = () => ({ ...rights, by: 'ada' });
  const board = createBoard({ broker: queue.broker, tasks: TASKS, basePath: BASE_PATH, access });
  const server = createServer(toNodeListener(board));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}${BASE_PATH}`,
    queue,
    close: async () => {
      board.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await queue.worker.stop();
      await queue.broker.close();
    },
  };
}
