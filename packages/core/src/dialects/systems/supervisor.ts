import { ignored, retries } from '../option.ts';
import { defineSystem, linear, type System } from '../system.ts';

/** supervisord: starting a program. */
export const supervisor: System = /* @__PURE__ */ defineSystem({
  name: 'supervisor',
  title: 'Supervisor',
  version: '4.2.5',
  fidelity: 'exact',
  options: {
    startretries: retries(3, 'starts after the first'),
    startsecs: ignored('how long a program has to run'),
  },
  policy: ({ startretries }) => ({ maxAttempts: startretries, backoff: linear(1_000) }),
});
