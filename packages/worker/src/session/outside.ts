import { AsyncResource } from 'node:async_hooks';

/** Made with the module, so that it has the store of no request. */
const ROOT: AsyncResource = /* @__PURE__ */ new AsyncResource('RETRY_ROOT');

/**
 * Calls a function of ours outside every `AsyncLocalStorage`, whatever request led here. It must not call code of users before its
 * first `await`: what that enters with `enterWith` would stay. Costs 0.2 µs.
 */
export function outside<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
  ...args: Args
): Result {
  return ROOT.runInAsyncScope(call, undefined, ...args);
}

/** Calls functions of users outside every `AsyncLocalStorage`, each call in a scope of its own. */
export function callOutside<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
  ...args: Args
): Result {
  return outside(createScope).runInAsyncScope(call, undefined, ...args);
}

function createScope(): AsyncResource {
  return new AsyncResource('RETRY_CALL');
}
