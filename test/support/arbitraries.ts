import type {
  BackoffInput,
  DelayStrategy,
  Duration,
  Gate,
  Jitter,
  MatcherInput,
  PolicyInput,
} from '@retry/core';
import fc from 'fast-check';

/** The largest number below 1: the most that a source of randomness can give. */
export const JUST_UNDER_1: number = 1 - 2 ** -53;

/** The number of a retry, counted from 1: small ones, those around 1 024 and the largest there are. */
export const retries: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: 1, max: 5 }),
  fc.constantFrom(1023, 1024, 1025, 1026, 1476, 1477, 5_000, 2 ** 31, Number.MAX_SAFE_INTEGER),
  fc.maxSafeNat().map((count) => Math.max(count, 1)),
);

/** One draw in [0, 1), the ends often. */
export const draws: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, JUST_UNDER_1, 0.5, 0.5 - 2 ** -54),
  fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
);

/** One answer of a source of randomness that breaks its contract. */
export const hostileDraws: fc.Arbitrary<number> = fc.constantFrom(
  Number.NaN,
  1,
  -1,
  2,
  Infinity,
  -Infinity,
  1e300,
);

/** A source of randomness that gives these draws over and over. */
export function sourceOf(given: readonly number[]): () => number {
  let count = 0;
  return () => given[count++ % given.length] ?? 0;
}

/** A finite duration: 0, the smallest, the largest and those that people write. */
export const durations: fc.Arbitrary<Duration> = fc.oneof(
  fc.constantFrom<Duration>(0, 5e-324, 1, 100, 86_400_000, 2 ** 31, 1e15, 1e300, Number.MAX_VALUE),
  fc.constantFrom<Duration>('0s', '500ms', '1.5s', '1m', '1h', '1d'),
  fc.integer({ min: 0, max: 60_000 }),
  fc.double({ min: 0, max: 1e9, noNaN: true }),
);

const factors = fc.oneof(
  fc.constantFrom(0, 0.5, 1, 1.5, 2, 10, 1e300),
  fc.double({ min: 0, max: 3, noNaN: true }),
);

const strategies = fc.constantFrom<DelayStrategy>(
  () => Number.NaN,
  () => -1,
  () => Infinity,
  () => Number.MAX_VALUE,
  (retry) => retry * 10,
  (_retry, { random, baseMs }) => baseMs + random() * 500,
);

/** Backoffs whose growth depends on the retry alone. */
export const steadyBackoffs: fc.Arbitrary<BackoffInput> = fc.oneof(
  fc.constant({ type: 'none' } as const),
  fc.record({ type: fc.constantFrom('constant', 'fibonacci'), base: durations }),
  fc.record(
    { type: fc.constant('linear'), base: durations, increment: durations },
    { requiredKeys: ['type', 'base'] },
  ),
  fc.record(
    { type: fc.constant('exponential'), base: durations, factor: factors },
    { requiredKeys: ['type', 'base'] },
  ),
  fc.record({ type: fc.constant('list'), delays: fc.array(durations, { minLength: 1, maxLength: 4 }) }),
);

/** Backoffs that never shrink from one retry to the next. */
export const growingBackoffs: fc.Arbitrary<BackoffInput> = steadyBackoffs.filter(
  (backoff) => backoff.type !== 'list' && !(backoff.type === 'exponential' && (backoff.factor ?? 2) < 1),
);

/** Every kind of backoff. */
export const backoffs: fc.Arbitrary<BackoffInput> = fc.oneof(
  { weight: 3, arbitrary: steadyBackoffs },
  fc.record({ type: fc.constant('decorrelated'), base: durations }),
  fc.record(
    { type: fc.constant('custom'), strategy: strategies, base: durations },
    { requiredKeys: ['type', 'strategy'] },
  ),
);

const jitters: fc.Arbitrary<Jitter> = fc.oneof(
  fc.constantFrom<Jitter>('none', 'full', 'equal', 'bounded'),
  fc.record({
    proportional: fc.oneof(fc.constantFrom(0, 0.1, 1), fc.double({ min: 0, max: 1, noNaN: true })),
  }),
);

/** Lowest and highest delay that leave room for a multiple of the granularity. */
const limits: fc.Arbitrary<Pick<PolicyInput, 'minDelay' | 'maxDelay' | 'granularity'>> = fc.oneof(
  fc.constant({}),
  fc
    .record({
      granularity: fc.constantFrom(0, 0, 1, 7, 100, 1_000),
      minDelay: fc.constantFrom(0, 0, 1, 50, 999.5, 20_000),
      room: fc.constantFrom(0, 0.5, 1, 250, 20_000, 1e9, 1e15, Infinity),
    })
    .map(({ granularity, minDelay, room }) => {
      const lowest = granularity > 0 ? Math.ceil(minDelay / granularity) * granularity : minDelay;
      return { granularity, minDelay, maxDelay: lowest + room };
    }),
);

/** Matchers as data and classes; none of them throws or looks at causes. */
export const plainMatchers: fc.Arbitrary<MatcherInput> = fc.constantFrom<MatcherInput>(
  Error,
  TypeError,
  AggregateError,
  { name: 'HttpError' },
  { name: ['TypeError', 'ThrottledError'] },
  { code: ['ECONNRESET', '08*', 11] },
  { status: [429, 503] },
  { message: /boom/gi },
  { name: 'ThrottledError', status: 503 },
);

const matchers: fc.Arbitrary<MatcherInput> = fc.oneof(
  { weight: 3, arbitrary: plainMatchers },
  plainMatchers.map((cause) => ({ cause })),
  fc.constantFrom<MatcherInput>(
    () => true,
    () => false,
    () => {
      throw new RangeError('predicate');
    },
  ),
);

const gates = fc.constantFrom<Gate>(
  () => true,
  (_error, { attempt }) => attempt < 3,
  () => {
    throw new RangeError('gate');
  },
  () => Promise.resolve(true) as never, // what JavaScript callers do
);

/** A valid policy with this kind of backoff. */
export function policyInputsWith(backoff: fc.Arbitrary<BackoffInput>): fc.Arbitrary<PolicyInput> {
  const delays = fc.record(
    {
      backoff,
      jitter: jitters,
      capAt: fc.constantFrom('before-jitter', 'after-jitter', 'before-jitter-only'),
    } as const,
    { requiredKeys: ['backoff'] },
  );
  return fc.tuple(rules, delays, limits).map((parts) => Object.assign({}, ...parts));
}

const rules = fc.record(
  {
    maxAttempts: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constantFrom(Infinity, 'Infinity' as const)),
    retryOn: fc.oneof(fc.constant('nothing' as const), fc.array(matchers, { maxLength: 3 })),
    stopOn: fc.array(matchers, { maxLength: 2 }),
    retryIf: gates,
    attemptTimeout: fc.constantFrom<Duration>(1, '10s', 'Infinity'),
    deadline: fc.constantFrom<Duration>(1, '2m', 'Infinity'),
    serverDelay: fc.record(
      {
        max: fc.constantFrom<Duration>(0, '60s', 'Infinity'),
        mode: fc.constantFrom('floor', 'replace', 'ignore'),
      } as const,
      { requiredKeys: [] },
    ),
    retryable: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** A valid policy of any kind. */
export const policyInputs: fc.Arbitrary<PolicyInput> = policyInputsWith(backoffs);
