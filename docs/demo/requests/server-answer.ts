/** How the server says when to retry. */
export type Asks = 'seconds' | 'date' | 'milliseconds' | 'nothing';

/** What the flaky server does with one request. */
export type ServerAnswer =
  | { readonly type: 'ok'; readonly afterMs: number }
  | { readonly type: 'missing' }
  | { readonly type: 'dropped' }
  | { readonly type: 'refused'; readonly status: 429 | 503; readonly asks: Asks; readonly askedMs: number };

/** Every request to this path is answered with 404, however often it comes. */
export const MISSING_PATH = '/orders/117';

/** The probability of each failure; the rest is a success. */
const FAILURES: readonly (readonly [chance: number, answer: (size: number) => ServerAnswer])[] = [
  [0.08, () => ({ type: 'refused', status: 503, asks: 'seconds', askedMs: 1_000 })],
  [0.05, () => ({ type: 'refused', status: 503, asks: 'date', askedMs: 1_000 })],
  [0.08, (size) => ({ type: 'refused', status: 503, asks: 'milliseconds', askedMs: within(size, 10, 90) })],
  [0.06, () => ({ type: 'refused', status: 429, asks: 'nothing', askedMs: 0 })],
  [0.06, () => ({ type: 'dropped' })],
  [0.05, (size) => ({ type: 'ok', afterMs: within(size, 600, 900) })],
];

/** Draws what happens to one request; always two draws, so that the next request of the path does not depend on this one. */
export function drawAnswer(path: string, random: () => number): ServerAnswer {
  const luck = random();
  const size = random();
  if (path === MISSING_PATH) return { type: 'missing' };
  let reached = 0;
  for (const [chance, answer] of FAILURES) {
    reached += chance;
    if (luck < reached) return answer(size);
  }
  return { type: 'ok', afterMs: within(size, 2, 25) };
}

function within(size: number, lowest: number, highest: number): number {
  return Math.round(lowest + size * (highest - lowest));
}
