import type {
  BackoffInput,
  DelayStrategy,
  Duration,
  Gate,
  JitterInput,
  Matcher,
  PolicyInput,
} from '@retry/core';
import fc from 'fast-check';

/** The largest number below 1: the largest draw of a source of randomness. */
export const JUST_UNDER_1: number = 1 - 2 ** -53;

/** The number of a retry, counted from 1: small ones, those around 1 024 and the largest there are. */
export const retries: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: 1, max: 5 }),
  fc.constantFrom(1023, 1024, 1025, 1026, 1476, 1477, 5_000, 2 ** 31, Number.MAX_SAFE_INTEGER),
  fc.maxSafeNat().map((count) => Math.max(count, 1)),
);

/** One draw in [0, 1), often one of the two ends. */
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

/** A source of randomness that repeats these draws. */
export function sourceOf(given: readonly number[]): () => number {
  let count = 0;
  return () => given[count++ % given.length] ?? 0;
}

/** A finite number ≥ 0 of any size, from the smallest to the largest that there are; and the usual round ones. */
export const amounts: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, 5e-324, 2 ** -1022, 1, 100, 999.5, 86_400_000, 2 ** 31, 2 ** 53 - 1, 2 ** 53 + 2),
  fc.constantFrom(1e15, 1e300, Number.MAX_VALUE / 2, Number.MAX_VALUE),
  fc.integer({ min: 0, max: 60_000 }),
  fc.double({ min: 0, max: 1e9, noNaN: true }),
  fc.double({ min: 0, max: Number.MAX_VALUE, noNaN: true }),
);

/** A finite duration: a number of any size, or text. */
export const durations: fc.Arbitrary<Duration> = fc.oneof(
  { weight: 4, arbitrary: amounts },
  { weight: 1, arbitrary: fc.constantFrom<Duration>('0s', '500ms', '1.5s', '1m', '1h', '1d') },
);

const factors = fc.oneof(
  fc.constantFrom(0.5, 1, 1.5, 2, 10),
  fc.double({ min: 0, max: 3, noNaN: true }),
  amounts,
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
    { type: fc.constant('exponential'), base: durations, factor: factors, offset: durations },
    { requiredKeys: ['type', 'base'] },
  ),
  fc.record(
    {
      type: fc.constant('polynomial'),
      base: durations,
      exponent: factors,
      offset: durations,
      from: fc.constantFrom(-4, 0, 1, 7),
    },
    { requiredKeys: ['type', 'base', 'exponent'] },
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

const shares = fc.oneof(fc.constantFrom(0, 5e-324, 0.1, 1), fc.double({ min: 0, max: 1, noNaN: true }));

/** Every kind of jitter, of any reach. */
export const jitters: fc.Arbitrary<JitterInput> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<JitterInput>('none', 'full', 'equal', 'bounded') },
  fc.record({ proportional: shares }),
  fc.record({ down: shares, up: amounts }, { requiredKeys: ['down'] }),
  fc.record({ up: fc.oneof(shares, amounts) }),
  fc.record({ minus: durations }),
  fc.record({ plus: durations, minus: durations }, { requiredKeys: ['plus'] }),
);

/** Jitters that are longer before each further retry, which a decorrelated backoff may not have. */
const growingJitters = fc.record(
  { plus: durations, increment: durations, minus: durations },
  { requiredKeys: ['plus', 'increment'] },
);

const granularities = fc.oneof(fc.constantFrom(0, 0, 1, 7, 100, 1_000), amounts.map(Math.floor));

/** Lowest and highest delay that leave room for a multiple of the granularity. */
const limits: fc.Arbitrary<Pick<PolicyInput, 'minDelay' | 'maxDelay' | 'granularity'>> = fc.oneof(
  fc.constant({}),
  fc
    .record({
      granularity: granularities,
      minDelay: fc.oneof(fc.constantFrom(0, 0, 1, 50, 999.5, 20_000), amounts),
      room: fc.oneof(fc.constantFrom(0, 0.5, 1, 250, 20_000, 1e9, 1e15, Infinity), amounts),
    })
    .map(({ granularity, minDelay, room }) => {
      // The smallest numbers divide to 0, and yet there is no room for them below one unit.
      const units = granularity > 0 && minDelay > 0 ? Math.max(Math.ceil(minDelay / granularity), 1) : 0;
      const lowest = granularity > 0 ? units * granularity : minDelay;
      return { granularity, minDelay, maxDelay: Math.max(lowest + room, minDelay) };
    }),
);

/** Matchers as data and classes; none of them throws or looks at causes. */
export const plainMatchers: fc.Arbitrary<Matcher> = fc.constantFrom<Matcher>(
  Error,
  TypeError,
  AggregateError,
  { name: 'HttpError' },
  { name: ['TypeError', 'ThrottledError'] },
  { code: ['ECONNRESET', '08*', 11] },
  { status: [429, 503] },
  { message: /boom/gi },
  { name: 'ThrottledError', status: 503 },
  { message: 'boom' },
  { message: ['never', { glob: 'b*m', except: 'bm', ignoreCase: true }] },
  { status: 413, retryAfter: true },
);

const matchers: fc.Arbitrary<Matcher> = fc.oneof(
  { weight: 3, arbitrary: plainMatchers },
  plainMatchers.map((cause) => ({ cause })),
  fc.constantFrom<Matcher>(
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
      immediateFirst: fc.boolean(),
      capAt: fc.constantFrom('before-jitter', 'after-jitter', 'ignores-jitter'),
    } as const,
    { requiredKeys: ['backoff'] },
  );
  return fc
    .tuple(rules, delays, limits, fc.option(growingJitters, { nil: undefined }))
    .map(([rule, delay, limit, jitter]) => {
      const isDecorrelated = delay.backoff.type === 'decorrelated';
      return { ...rule, ...delay, ...limit, ...(jitter !== undefined && !isDecorrelated && { jitter }) };
    });
}

function isMoreThan0(ms: number): boolean {
  return ms > 0;
}

const rules = fc.record(
  {
    maxAttempts: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constantFrom(Infinity, 'Infinity' as const)),
    initialDelay: fc.constantFrom<Duration>(0, 0.5, '0s'),
    retryOn: fc.oneof(
      fc.constantFrom('everything' as const, 'nothing' as const),
      fc.array(matchers, { minLength: 1, maxLength: 3 }),
    ),
    stopOn: fc.array(matchers, { maxLength: 2 }),
    retryIf: gates,
    attemptTimeout: fc.oneof(fc.constantFrom<Duration>(1, '10s', 'Infinity'), amounts.filter(isMoreThan0)),
    totalTimeout: fc.oneof(
      fc.constantFrom<Duration>(1, '2m', 'Infinity'),
      amounts.filter((ms) => ms > 0.5),
    ),
    idempotent: fc.constant(true), // `false` needs a list of errors
    retryTimeouts: fc.boolean(),
    retryAfter: fc.record(
      {
        max: fc.oneof(fc.constantFrom<Duration>(0, '60s', 'Infinity'), durations),
        mode: fc.constantFrom('floor', 'replace', 'ignore'),
        beyondMax: fc.constantFrom('stop', 'ignore', 'clamp'),
        jitter: fc.oneof(
          fc.constant('none' as const),
          fc.record({ up: amounts }),
          fc.record({ plus: durations }),
        ),
      } as const,
      { requiredKeys: [] },
    ),
    retryable: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** A valid policy of any kind. */
export const policyInputs: fc.Arbitrary<PolicyInput> = policyInputsWith(backoffs);
