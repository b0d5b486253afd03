import { channel } from 'node:diagnostics_channel';

/** Where errors go that are no visitor's. */
export interface ErrorLog {
  readonly report: (error: unknown, doing: string) => void;
}

const published = channel('retry:board:error');
const WARNING_EVERY_MS = 60_000;

/** Creates the log of a board. */
export function createErrorLog(onError: ((error: unknown, doing: string) => void) | undefined): ErrorLog {
  let warnedAt = -Infinity;
  const warn = (error: unknown, doing: string): void => {
    if (performance.now() - warnedAt < WARNING_EVERY_MS) return;
    warnedAt = performance.now();
    const message = `${doing} failed: ${String(error)}. Give createBoard an onError.`;
    process.emitWarning(message, { type: 'RetryWarning', code: 'RETRY_BOARD_ERROR' });
  };
  return {
    report: (error, doing) => {
      published.publish({ error, doing });
      try {
        if (onError === undefined) warn(error, doing);
        else whenRejected(onError(error, doing), (thrown) => warn(thrown, 'onError of the board'));
      } catch (thrown) {
        warn(thrown, 'onError of the board');
      }
    },
  };
}

/** Calls back when what a callback answered is a promise that rejects: its type says void, and allows that. */
export function whenRejected(answered: unknown, rejected: (error: unknown) => void): void {
  Promise.resolve(answered).catch(rejected);
}
