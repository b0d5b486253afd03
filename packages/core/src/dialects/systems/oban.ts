import { atLeast, executions } from '../option.ts';
import { defineSystem, exponential, list, type System } from '../system.ts';

/** Oban scales the attempts of a job to twenty doublings. */
const MAX_DOUBLINGS = 20;

/** Oban: the default backoff of a worker. */
export const oban: System = /* @__PURE__ */ defineSystem({
  name: 'oban',
  title: 'Oban',
  version: '2.23.0',
  fidelity: 'exact',
  remarks: ['Above 20 attempts the exponent is scaled to 20: with 100 attempts the first delay is 16 s.'],
  options: { max_attempts: atLeast(1, executions(20, 'all executions')) },
  policy: ({ max_attempts }) => ({
    maxAttempts: max_attempts,
    backoff:
      max_attempts <= MAX_DOUBLINGS
        ? exponential(2_000, 2, 15_000)
        : list(
            Array.from(
              { length: Math.min(max_attempts - 1, 1_000) },
              (_, index) => 15_000 + 1_000 * 2 ** Math.round(((index + 1) / max_attempts) * MAX_DOUBLINGS),
            ),
          ),
    jitter: { up: 0.1 },
    granularity: 1_000,
  }),
});
