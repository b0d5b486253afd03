import { ms, retries, share } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** socket.io: reconnecting of the client. */
export const socketIoClient: System = /* @__PURE__ */ defineSystem({
  name: 'socket-io-client',
  title: 'socket.io client',
  version: '4.8.4',
  fidelity: 'range',
  remarks: ['It draws from ten bands: a tenth of the range at a time, every other one below the delay.'],
  options: {
    reconnectionAttempts: retries(Infinity, 'tries'),
    reconnectionDelay: ms(1_000, 'the first delay'),
    reconnectionDelayMax: ms(5_000, 'the longest delay'),
    randomizationFactor: share(
      0.5,
      'by what part of itself a delay may be longer; shorter by nine tenths of that',
    ),
  },
  policy: ({ reconnectionAttempts, reconnectionDelay, reconnectionDelayMax, randomizationFactor }) => ({
    maxAttempts: reconnectionAttempts,
    backoff: exponential(reconnectionDelay),
    jitter: { down: 0.9 * randomizationFactor, up: randomizationFactor },
    maxDelay: reconnectionDelayMax,
    capAt: 'after-jitter',
  }),
});
