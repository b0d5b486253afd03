import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attempt } from '../attempt-context.ts';
import { installed } from '../instruments.ts';

/**
 * From now on every call knows when it is made inside an attempt of another, however deep: it takes over the
 * attempt's deadline, signal and budget, and `onNested` is told where attempts multiply. The cost is that of
 * AsyncLocalStorage, so it is off until asked for.
 *
 * @returns how to end it
 */
export function guardNestedRetries(): () => void {
  const around = new AsyncLocalStorage<Attempt>();
  const current = (): Attempt | undefined => around.getStore();
  installed.enter = (attempt, run) => around.run(attempt, run);
  installed.current = current;
  return () => {
    if (installed.current !== current) return;
    installed.enter = undefined;
    installed.current = undefined;
  };
}
