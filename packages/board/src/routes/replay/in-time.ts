import { createContext, Script } from 'node:vm';

const CALL = new Script('call()');
const TIMED_OUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * Calls a function, and ends it after this time wherever it is, also within a regular expression of a task's policy. Only `node:vm` can
 * do that without a thread. On other runtimes than Node it is not ended.
 *
 * @returns what it returned; `undefined` if it was ended
 */
export function inTime<Value extends object>(timeoutMs: number, call: () => Value): Value | undefined {
  try {
    return CALL.runInContext(createContext({ call }), { timeout: timeoutMs }) as Value; // of call
  } catch (error) {
    if ((Object(error) as { readonly code?: unknown }).code === TIMED_OUT) return undefined; // of another realm
    throw error;
  }
}
