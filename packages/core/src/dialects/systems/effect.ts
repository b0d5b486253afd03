import type { PolicyInput } from '../../policy/policy.ts';
import { type Call, readCalls } from '../calls.ts';
import { value } from '../option.ts';
import { constant, defineSystem, exponential, type System } from '../system.ts';

function msOf(given: unknown): number {
  const [, count = '0', unit = 'millis'] = /^([\d.]+) ?(\w+)$/.exec(String(given)) ?? [];
  const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  return Number(count) * (unit.startsWith('milli') ? 1 : (units[unit[0] ?? ''] ?? 1));
}

function part({ name, args: [first, second] }: Call): PolicyInput {
  if (name === 'exponential')
    return { backoff: exponential(msOf(first), typeof second === 'number' ? second : 2) };
  if (name === 'fibonacci') return { backoff: { type: 'fibonacci', base: msOf(first) } };
  if (name === 'spaced' || name === 'fixed') return { backoff: constant(msOf(first)) };
  if (name === 'jittered') return { jitter: { proportional: 0.2 } };
  return name === 'recurs' ? { maxAttempts: Number(first) + 1 } : {};
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
        parse: readCalls,
        must: 'a schedule as in code: exponential("100 millis")',
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
