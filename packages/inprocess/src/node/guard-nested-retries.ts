import { AsyncLocalStorage } from 'node:async_hooks';
import { AttemptWithContext, withContext } from '../call/context.ts';
import type { Nesting } from '../call/plan.ts';
import { nested } from '../call/plan.ts';

/**
 * Lets every call find the attempt that it is made in, however deep: it takes over that attempt's total timeout,
 * signal and budget, and `onNested` is called where attempts multiply. Off by default, because AsyncLocalStorage
 * has a cost.
 *
 * @returns a function that ends it
 */
export function guardNestedRetries(): () => void {
  const around = new AsyncLocalStorage<AttemptWithContext>();
  const nesting: Nesting = {
    withContext,
    // An attempt that began before the guard has no context.
    enter: (attempt, run) => (attempt instanceof AttemptWithContext ? around.run(attempt, run) : run()),
    current: () => around.getStore(),
  };
  nested.nesting = nesting;
  return () => {
    if (nested.nesting === nesting) nested.nesting = undefined;
  };
}
