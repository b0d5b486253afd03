import { createContext, Script } from 'node:vm';

const CALL = new Script('call()');
const TIMED_OUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * Calls a function, and ends it wherever it is, also within a regular expression of a task's policy, once this process has computed for
 * `budgetMs`. A busy machine takes longer for that: where the clock has ended the function before, it is called again, and has to go on
 * where it was. Only `node:vm` can end it without a thread. On other runtimes than Node it is not ended.
 *
 * @returns what it returned; `undefined` if it was ended
 */
export function inTime<Value extends object>(budgetMs: number, call: () => Value): Value | undefined {
  const until = processorMs() + budgetMs;
  for (let timeoutMs = Math.max(1, Math.ceil(budgetMs)); ; timeoutMs *= 2) {
    const value = within(timeoutMs, call);
    if (value !== undefined || processorMs() >= until) return value;
  }
}

/** Returns how long this process has computed, in ms. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function within<Value extends object>(timeoutMs: number, call: () => Value): Value | undefined {
  try {
    return CALL.runInContext(createContext({ call }), { timeout: timeoutMs }) as Value; // of call
  } catch (error) {
    if ((Object(error) as { readonly code?: unknown }).code === TIMED_OUT) return undefined; // of another realm
    throw error;
  }
}
