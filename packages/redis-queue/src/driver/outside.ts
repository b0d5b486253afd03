import { AsyncResource } from 'node:async_hooks';

/** Made with the module, so that it has the store of no request. */
const ROOT: AsyncResource = /* @__PURE__ */ new AsyncResource('RETRY_ROOT');

/**
 * Calls a function outside every `AsyncLocalStorage`, in a scope of its own: what all callers share, as a connection and its events, must
 * have the store of none of them.
 */
export function callOutside<Result>(call: () => Result): Result {
  return ROOT.runInAsyncScope(createScope).runInAsyncScope(call);
}

function createScope(): AsyncResource {
  return new AsyncResource('RETRY_CALL');
}
