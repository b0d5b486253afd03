const { setImmediate: immediate, setTimeout: timeout } = globalThis as {
  readonly setImmediate?: (callback: () => void) => unknown; // not in browsers
  readonly setTimeout: (callback: () => void, delayMs: number) => unknown;
};

/**
 * Calls back once the event loop has turned. Taken when the module is loaded: it is no wait, so fake timers
 * have no say in it.
 */
export const soon: (callback: () => void) => unknown =
  immediate ?? ((callback) => timeout.call(globalThis, callback, 0));
