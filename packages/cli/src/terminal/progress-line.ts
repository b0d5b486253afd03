import type { CliEnvironment } from '../environment.ts';

/** A task that takes no longer than this needs no line, in ms. */
const QUICK_MS = 400;

/** Moves the cursor to the beginning of the line, and clears it. */
const CLEAR = '\r\u001b[K';

/** One line on standard error, while the program computes. */
interface ProgressLine {
  readonly show: (text: string) => void;
  /** Removes the line. */
  readonly clear: () => void;
}

/** Opens a line that says how far the program is: on a terminal only, and not before it has taken a while. */
export function openProgressLine({ stderr, now }: CliEnvironment): ProgressLine {
  const startedAt = now();
  let isShown = false;
  return {
    show: (text) => {
      if (stderr.isTTY !== true || now() - startedAt < QUICK_MS) return;
      isShown = true;
      stderr.write(CLEAR + text);
    },
    clear: () => {
      if (isShown) stderr.write(CLEAR);
    },
  };
}
