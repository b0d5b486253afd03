import { AsyncLocalStorage } from 'node:async_hooks';
import { ToldAttempt, tellAttempt } from '../call/context.ts';
import type { Nesting } from '../call/instruments.ts';
import { installed } from '../call/instruments.ts';

/**
 * From now on every call knows when it is made inside an attempt of another, however deep: it takes over the
 * attempt's deadline, signal and budget, and `onNested` is told where attempts multiply. The cost is that of
 * AsyncLocalStorage, so it is off until asked for.
 *
 * @returns how to end it
 */
export function guardNestedRetries(): () => void {
  const around = new AsyncLocalStorage<ToldAttempt>();
  const nesting: Nesting = {
    tell: tellAttempt,
    // One that began before the guard is none of these.
    enter: (attempt, run) => (attempt instanceof ToldAttempt ? around.run(attempt, run) : run()),
    current: () => around.getStore(),
  };
  installed.nesting = nesting;
  return () => {
    if (installed.nesting === nesting) installed.nesting = undefined;
  };
}
