import type { OnEnded } from '../shop/fill-queue.ts';

/** The line is rewritten after this many more. */
const STEP = 100;

/** Shows on a terminal how far the filling is, on one line that is removed at last; elsewhere nothing. @param what - is counted */
export function createFillProgress(output: NodeJS.WriteStream, what = 'runs have ended'): OnEnded {
  return (ended, total) => {
    if (output.isTTY !== true || (ended % STEP !== 0 && ended !== total)) return;
    output.write(ended === total ? '\r\u001b[K' : `\r${ended} of ${total} ${what}`);
  };
}
