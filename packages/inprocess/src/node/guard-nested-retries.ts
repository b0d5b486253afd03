import { AsyncLocalStorage } from 'node:async_hooks';
import { AttemptWithContext, withContext } from '../call/context.ts';
import type { Nesting } from '../call/plan.ts';
import { nested } from '../call/plan.ts';

/** An attempt, and the attempts around it that had not ended when it began. */
interface Around {
  readonly attempt: AttemptWithContext;
  readonly outer: Around | undefined;
}

/**
 * Lets every call find the attempt that it is made in, however deep: it takes over that attempt's total timeout,
 * signal and budget, and `onNested` is called where attempts multiply. Off by default, because AsyncLocalStorage
 * has a cost. Work that outlives its attempt (a pool that is filled later, a timer) is bound by it no longer, unless the attempt was
 * cut short.
 *
 * @returns a function that ends it
 */
export function guardNestedRetries(): () => void {
  const storage = new AsyncLocalStorage<Around>();
  const binding = (): Around | undefined => {
    let around = storage.getStore();
    while (around !== undefined && !around.attempt.binds) around = around.outer;
    return around;
  };
  const nesting: Nesting = {
    withContext,
    // An attempt that began before the guard has no context.
    enter: (attempt, run) =>
      attempt instanceof AttemptWithContext ? storage.run({ attempt, outer: binding() }, run) : run(),
    current: () => binding()?.attempt,
  };
  nested.nesting = nesting;
  return () => {
    if (nested.nesting === nesting) nested.nesting = undefined;
  };
}
