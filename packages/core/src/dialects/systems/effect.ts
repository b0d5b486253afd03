import type { PolicyInput } from '../../policy/policy.ts';
import { asAmount, type Call, callsOf } from '../calls.ts';
import { value } from '../option.ts';
import { constant, defineSystem, exponential, type System } from '../system.ts';

/** Reads a number of milliseconds, or one with its unit: `100 millis`, `2 seconds`. */
function asMs(written: number | string): number | undefined {
  if (typeof written === 'number') return asAmount(written);
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?) (milli|second|minute|hour|day)s?$/.exec(written) ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS[unit] ?? 1);
}

const UNITS: Readonly<Record<string, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

const SCHEDULES = {
  exponential: { base: asMs, factor: asAmount },
  fibonacci: { one: asMs },
  spaced: { duration: asMs },
  fixed: { interval: asMs },
  recurs: { times: asAmount },
  jittered: {},
} as const;

function part({ name, given }: Call): PolicyInput {
  const { base = 0, factor = 2, one = 0, duration, interval, times = 0 } = given;
  if (name === 'exponential') return { backoff: exponential(base, factor) };
  if (name === 'fibonacci') return { backoff: { type: 'fibonacci', base: one } };
  if (name === 'jittered') return { jitter: { proportional: 0.2 } };
  if (name === 'recurs') return { maxAttempts: Math.trunc(times) + 1 };
  return { backoff: constant(duration ?? interval ?? 0) };
}

/** Effect: a Schedule. */
export const effect: System = /* @__PURE__ */ defineSystem({
  name: 'effect',
  title: 'Effect',
  version: '4.1.0',
  fidelity: 'exact',
  options: {
    schedule: value(
      {
        unit: 'text',
        parse: callsOf(SCHEDULES),
        must: 'a schedule as in code: exponential("100 millis")',
        cure: `Use ${Object.keys(SCHEDULES).join('(), ')}(); lengths of time are milliseconds, or "2 seconds".`,
        shown: 'recurs(0)',
      },
      [],
      'one or more of `exponential`, `fibonacci`, `spaced`, `recurs` and `jittered`',
    ),
  },
  policy: ({ schedule }) => ({
    maxAttempts: Infinity,
    backoff: { type: 'none' },
    ...Object.assign({}, ...schedule.map(part)),
  }),
});
