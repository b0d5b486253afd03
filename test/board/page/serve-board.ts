import { createBoard, type Granted } from '@retry/board';
import { serveOnLoopback } from '../../support/browser/serve-on-loopback.ts';
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
  const { origin, close } = await serveOnLoopback(board);
  return {
    url: `${origin}${BASE_PATH}`,
    queue,
    close: async () => {
      await close();
      await queue.worker.stop();
      await queue.broker.close();
    },
  };
}
