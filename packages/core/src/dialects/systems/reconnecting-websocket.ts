import { factor, ms, retries } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** reconnecting-websocket: its options. */
export const reconnectingWebsocket: System = /* @__PURE__ */ defineSystem({
  name: 'reconnecting-websocket',
  title: 'reconnecting-websocket',
  version: '4.4.0',
  fidelity: 'range',
  remarks: [
    'The shortest delay is drawn once, when the module is loaded: all sockets of a process have the same delays.',
  ],
  options: {
    maxRetries: retries(Infinity, 'tries'),
    minReconnectionDelay: ms(undefined, 'the first delay; 1 to 5 s if it is left out'),
    maxReconnectionDelay: ms(10_000, 'the longest delay'),
    reconnectionDelayGrowFactor: factor(1.3, 'what each delay is multiplied by'),
  },
  policy: ({ maxRetries, minReconnectionDelay, maxReconnectionDelay, reconnectionDelayGrowFactor }) => ({
    maxAttempts: maxRetries,
    backoff: exponential(minReconnectionDelay ?? 1_000, reconnectionDelayGrowFactor),
    jitter: minReconnectionDelay === undefined ? { up: 4 } : 'none',
    maxDelay: maxReconnectionDelay,
    capAt: 'after-jitter',
  }),
});
