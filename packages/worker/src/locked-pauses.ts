/** The shortest pause before what another client's transaction has locked is asked for again, in ms. */
export const FIRST_PAUSE_MS = 5;

const LONGEST_PAUSE_MS = 100;

/** Returns the pause that follows this one, in ms. */
export function longerPause(pauseMs: number): number {
  return Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
}
