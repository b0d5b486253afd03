import { setImmediate } from 'node:timers/promises';
import { BoardError } from '../../errors.ts';
import { inTime } from './in-time.ts';

/** After this, other work of the process has a turn. */
const TURN_MS = 25;

/** How long all items together may take, and what is called for each. */
export interface Turns<Item, Result> {
  readonly budgetMs: number;
  readonly call: (item: Item) => Result;
}

/**
 * Calls a function for each item, in short turns between which the process does other work. A single call that takes longer than the
 * budget is ended, too.
 *
 * @returns the results; `undefined` if all together took longer
 */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  { budgetMs, call }: Turns<Item, Result>,
): Promise<readonly Result[] | undefined> {
  const results: Result[] = [];
  const rest = items.values();
  let spentMs = 0;
  while (results.length < items.length) {
    const beganAt = performance.now();
    const turn = inTime(Math.max(1, Math.ceil(budgetMs - spentMs)), () => {
      for (const item of rest) {
        results.push(call(item));
        if (performance.now() - beganAt >= TURN_MS) break;
      }
      return results;
    });
    spentMs += performance.now() - beganAt;
    if (turn === undefined || (spentMs >= budgetMs && results.length < items.length)) return undefined;
    await setImmediate();
  }
  return results;
}

/** Lets work in one after the other. */
export type OneByOne = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** How many of them may wait. */
const MAX_WAITING = 8;

/** Creates a queue of work. @throws {BoardError} `TOO_MANY_REQUESTS` where too much waits already */
export function createOneByOne(): OneByOne {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    if (waiting >= MAX_WAITING) {
      const message = `the board has ${waiting} replays to do already. Ask again in some seconds.`;
      return Promise.reject(new BoardError('TOO_MANY_REQUESTS', message));
    }
    waiting += 1;
    const done = last.then(work).finally(() => {
      waiting -= 1;
    });
    last = done.catch(() => {});
    return done;
  };
}
