import { setImmediate } from 'node:timers/promises';
import { BoardError } from '../../errors.ts';
import { inTime, processorMs } from './in-time.ts';

/** After this, other work of the process has a turn. */
const TURN_MS = 25;

/** How long this process may compute for all items together, and what is called for each. */
export interface Turns<Item, Result> {
  readonly budgetMs: number;
  readonly call: (item: Item) => Result;
}

/**
 * Calls a function for each item, in short turns between which the process does other work. A single call that takes longer than the
 * budget is ended, too; one that was ended because the machine is busy is made again.
 *
 * @returns the results; `undefined` if all together took longer
 */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  { budgetMs, call }: Turns<Item, Result>,
): Promise<readonly Result[] | undefined> {
  const results: Result[] = [];
  let spentMs = 0;
  while (results.length < items.length) {
    const beganAt = performance.now();
    const computedMs = processorMs();
    const turn = inTime(budgetMs - spentMs, () => {
      for (const item of items.slice(results.length)) {
        results.push(call(item));
        if (performance.now() - beganAt >= TURN_MS) break;
      }
      return results;
    });
    spentMs += processorMs() - computedMs;
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
