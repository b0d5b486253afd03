import { AsyncLocalStorage } from 'node:async_hooks';
import { AttemptWithContext, withContext } from '../call/context.ts';
import type { Nesting } from '../call/plan.ts';
import { nested } from '../call/plan.ts';
import { sharedSwitch } from './shared-switch.ts';

/** An attempt, and the attempts around it that had not ended when it began. */
interface Around {
  readonly attempt: AttemptWithContext;
  readonly outer: Around | undefined;
}

const storage = new AsyncLocalStorage<Around>();

const nesting: Nesting = {
  withContext,
  // An attempt that began before the guard has no context.
  enter: (attempt, run) =>
    attempt instanceof AttemptWithContext ? storage.run({ attempt, outer: binding() }, run) : run(),
  current: () => binding()?.attempt,
};

const turnOn = sharedSwitch({
  on: () => {
    nested.nesting = nesting;
  },
  off: () => {
    nested.nesting = undefined;
    // A storage that has been used slows every promise of Node 20 until it is disabled; not every runtime has the method.
    storage.disable?.();
  },
});

/**
 * Lets every call find the attempt that it is made in, however deep: it takes over that attempt's total timeout,
 * signal and budget, and `onNested` is called where attempts multiply. Off by default, because AsyncLocalStorage
 * has a cost. Work that outlives its attempt (a pool that is filled later, a timer) is bound by it no longer, unless the attempt was
 * cut short.
 *
 * @returns a function that ends it, unless another caller of this function has not ended it yet
 */
export function guardNestedRetries(): () => void {
  return turnOn();
}

function binding(): Around | undefined {
  let around = storage.getStore();
  while (around !== undefined && !around.attempt.binds) around = around.outer;
  return around;
}
