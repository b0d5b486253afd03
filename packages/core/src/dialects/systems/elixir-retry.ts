import type { PolicyInput } from '../../policy/policy.ts';
import { type Call, readCalls } from '../calls.ts';
import { value } from '../option.ts';
import { defineSystem, list, type System } from '../system.ts';

const COUNT = 64;

function delaysOf({ name, args: [first, second] }: Call): readonly number[] {
  const or = (given: unknown, fallback: number): number => (typeof given === 'number' ? given : fallback);
  const initial = or(first, name === 'constant_backoff' ? 100 : 10);
  if (name === 'constant_backoff') return [initial];
  const by = or(second, 2);
  const next = (last: number): number => (name === 'linear_backoff' ? last + by : Math.round(last * by));
  const delays = [initial];
  while (delays.length < COUNT) delays.push(Math.min(next(delays.at(-1) ?? 0), Number.MAX_VALUE));
  return delays;
}

function change({ name, args: [given] }: Call): PolicyInput {
  const count = typeof given === 'number' ? given : undefined;
  if (name === 'cap') return { maxDelay: count ?? Infinity };
  if (name === 'randomize') return { jitter: { proportional: count ?? 0.1 } };
  if (name === 'jitter') return { jitter: 'full', minDelay: 1 };
  if (name === 'take') return { maxAttempts: (count ?? 1) + 1 };
  return name === 'expiry' ? { totalTimeout: count ?? Infinity } : {};
}

/** retry (Elixir): its delay streams. */
export const elixirRetry: System = /* @__PURE__ */ defineSystem({
  name: 'elixir-retry',
  title: 'retry (Elixir)',
  version: 'a5335b1',
  fidelity: 'exact',
  remarks: ['Each delay is rounded before the next one is computed: a factor of 1.4 from 1 ms stays 1 ms.'],
  options: {
    stream: value(
      {
        unit: 'text',
        parse: readCalls,
        must: 'streams as in Elixir: "exponential_backoff(100, 2) |> cap(2000)"',
        shown: 'exponential_backoff()',
      },
      [],
      'a stream and what changes it',
    ),
  },
  policy: ({ stream: [first = { name: 'exponential_backoff', args: [], named: {} }, ...changes] }) => ({
    maxAttempts: Infinity,
    capAt: 'ignores-jitter',
    backoff: list(delaysOf(first)),
    ...Object.assign({}, ...changes.map(change)),
  }),
});
