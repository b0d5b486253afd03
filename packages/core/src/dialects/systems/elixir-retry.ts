import type { PolicyInput } from '../../policy/policy.ts';
import { asAmount, type Call, callsOf } from '../calls.ts';
import { LAST_WAIT_CUT } from '../deadline.ts';
import { value } from '../option.ts';
import { constant, defineSystem, linear, type System, type SystemPolicy, stepwise } from '../system.ts';

/** The shortest delay of `expiry`. */
const MIN_DELAY_MS = 100;

const STREAMS = {
  constant_backoff: { delay: asAmount },
  linear_backoff: { initial: asAmount, factor: asAmount },
  exponential_backoff: { initial: asAmount, factor: asAmount },
} as const;

const CHANGES = {
  cap: { max: asAmount },
  expiry: { budget: asAmount },
  jitter: {},
  randomize: { proportion: asAmount },
  take: { count: asAmount },
} as const;

const readStream = /* @__PURE__ */ callsOf({ ...STREAMS, ...CHANGES });

/** A stream comes first, and only what changes it comes after. */
function asStream(written: unknown): readonly Call[] | undefined {
  const calls = readStream(written);
  const isStream = calls?.every(({ name }, index) => Object.hasOwn(STREAMS, name) === (index === 0));
  return isStream === true ? calls : undefined;
}

function backoffOf({ name, given }: Call): SystemPolicy['backoff'] {
  const { delay = 100, initial = 10, factor = 2 } = given;
  if (name === 'constant_backoff') return constant(delay);
  if (name === 'linear_backoff') return linear(initial, factor);
  return stepwise(initial, (ms) => Math.round(ms * factor));
}

function change({ name, given }: Call): PolicyInput {
  const { max = Infinity, budget = Infinity, proportion = 0.1, count = 1 } = given;
  if (name === 'cap') return { maxDelay: max };
  if (name === 'randomize') return { jitter: { proportional: Math.min(proportion, 1) } };
  if (name === 'jitter') return { jitter: 'full', minDelay: 1 };
  if (name === 'take') return { maxAttempts: Math.trunc(count) + 1 };
  // With no time left there is one retry more, after the shortest delay.
  return budget > MIN_DELAY_MS ? {} : { maxAttempts: 2, backoff: constant(MIN_DELAY_MS) };
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
        parse: asStream,
        must: 'streams as in Elixir: "exponential_backoff(100, 2) |> cap(2000)"',
        cure: `Begin with ${Object.keys(STREAMS).join(', ')}; then ${Object.keys(CHANGES).join(', ')}.`,
        shown: 'exponential_backoff()',
      },
      [],
      'a stream and what changes it',
    ),
  },
  deadline: {
    option: 'stream',
    limitOf: ({ stream }) => {
      const budget = stream.find(({ name }) => name === 'expiry')?.given['budget'] ?? Infinity;
      return budget > MIN_DELAY_MS ? budget : Infinity;
    },
    there: `of \`expiry\`, ${LAST_WAIT_CUT}`,
  },
  policy: ({ stream: [first = { name: 'exponential_backoff', given: {} }, ...changes] }) => ({
    maxAttempts: Infinity,
    capAt: 'ignores-jitter',
    backoff: backoffOf(first),
    ...Object.assign({}, ...changes.map(change)),
  }),
});
