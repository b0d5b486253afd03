/** Returns a function that makes calls in the order in which they came, at most `most` of them at the same time. */
export function createTurns(most: number): <Answer>(send: () => Promise<Answer>) => Promise<Answer> {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  const end = (): void => {
    const next = waiting.shift();
    // The next call takes over the turn, so that none that comes meanwhile is made before it.
    if (next === undefined) underWay -= 1;
    else next();
  };
  return async (send) => {
    if (underWay < most) underWay += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await send();
    } finally {
      end();
    }
  };
}
