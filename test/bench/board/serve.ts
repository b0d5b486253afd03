import { createBoard } from '@retry/board';
import type { Broker } from '@retry/core/broker';
import { serveOnLoopback } from '../../support/browser/serve-on-loopback.ts';

/** A board on the loopback. */
export interface ServedBoard {
  /** With a slash at its end. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Serves a board for reading. */
export async function serveBoard(broker: Broker): Promise<ServedBoard> {
  const { origin, close } = await serveOnLoopback(createBoard({ broker, access: () => ({ read: true }) }));
  return { url: `${origin}/`, close };
}
