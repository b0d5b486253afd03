/** How much of its time a look at a timer counts, in ms. */
const LOOK_MS = 100;

/**
 * Calls a function after some time in which the event loop was not blocked: while it is, no answer is read, so that what a look takes longer
 * does not count.
 *
 * @returns ends the timer
 */
export function startAwakeTimer(afterMs: number, onEnd: () => void): () => void {
  let leftMs = afterMs;
  const look = (): void => {
    leftMs -= LOOK_MS;
    if (leftMs > 0) timer = setTimeout(look, LOOK_MS);
    else onEnd();
  };
  let timer = setTimeout(look, LOOK_MS);
  return () => clearTimeout(timer);
}
