import type { OnEnded } from '../shop/fill-queue.ts';

/** The line is rewritten after this many more runs. */
const STEP = 100;

/** Shows on a terminal how many runs have ended, on one line that is removed at last; elsewhere nothing. */
export function createFillProgress(output: NodeJS.WriteStream): OnEnded {
  return (ended, total) => {
    if (output.isTTY !== true || (ended % STEP !== 0 && ended !== total)) return;
    output.write(ended === total ? '\r\u001b[K' : `\r${ended} of ${total} runs have ended`);
  };
}
