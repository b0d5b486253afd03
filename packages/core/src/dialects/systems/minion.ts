import { executions } from '../option.ts';
import { defineSystem, type System } from '../system.ts';

/** Minion (Mojolicious): its default delays. */
export const minion: System = /* @__PURE__ */ defineSystem({
  name: 'minion',
  title: 'Minion',
  version: '10.25',
  fidelity: 'exact',
  options: { attempts: executions(1, 'all executions') },
  policy: ({ attempts }) => ({
    maxAttempts: attempts,
    backoff: { type: 'polynomial', base: 1_000, exponent: 4, offset: 15_000, from: 0 },
  }),
});
