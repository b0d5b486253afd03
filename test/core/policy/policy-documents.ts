import type { PolicyKey } from '@retry/core/fields';
import fc from 'fast-check';

const durations = fc.oneof(
  fc.nat(30_000),
  fc.double({ min: 0, max: 1e6, noNaN: true }),
  fc.constantFrom('0s', '500ms', '2s', '1.5h', '007m', '1d', '0.25ms'),
);

const limits = fc.oneof(durations, fc.constant('Infinity'));

const names = fc.constantFrom('known', 'known', 'known', 'unknown', '', 'constructor');

const backoffs = fc.oneof(
  fc.constant({ type: 'none' }),
  fc.record({ type: fc.constantFrom('constant', 'fibonacci', 'decorrelated'), base: durations }),
  fc.record(
    { type: fc.constant('linear'), base: durations, increment: durations },
    { requiredKeys: ['type', 'base'] },
  ),
  fc.record(
    {
      type: fc.constant('exponential'),
      base: durations,
      factor: fc.constantFrom(0, 0.5, 2, 1e300),
      offset: durations,
    },
    { requiredKeys: ['type', 'base'] },
  ),
  fc.record(
    {
      type: fc.constant('polynomial'),
      base: durations,
      exponent: fc.constantFrom(0, 0.5, 4, 1e300),
      offset: durations,
      from: fc.constantFrom(-4, 0, 1),
    },
    { requiredKeys: ['type', 'base', 'exponent'] },
  ),
  fc.record({ type: fc.constant('list'), delays: fc.array(durations, { minLength: 1, maxLength: 3 }) }),
  fc.record(
    { type: fc.constant('custom'), strategy: names, base: durations },
    { requiredKeys: ['type', 'strategy'] },
  ),
);

function oneOrMany<T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | T[]> {
  return fc.oneof(values, fc.array(values, { minLength: 1, maxLength: 3 }));
}

const patternKeys = {
  name: oneOrMany(fc.constantFrom('TimeoutError', 'é', '*')),
  code: oneOrMany(fc.constantFrom('08*', 'ECONNRESET', 11, -1.5)),
  status: oneOrMany(fc.constantFrom(429, 0, -1, 1e21)),
  retryAfter: fc.constant(true),
  message: oneOrMany(
    fc.constantFrom<string | object>(
      'timed out',
      'é',
      { glob: 'timed*out' },
      { glob: '*', ignoreCase: true },
      { glob: 'a*', except: 'ab*' },
      { glob: 'a*', except: ['ab*', 'ac*'] },
    ),
  ),
};

const matchers = fc.letrec((tie) => ({
  pattern: fc
    .record(
      { ...patternKeys, cause: fc.option(tie('pattern'), { nil: undefined, maxDepth: 20, depthSize: 2 }) },
      { requiredKeys: [] },
    )
    .filter((pattern) => Object.values(pattern).some((value) => value !== undefined)),
})).pattern;

const shares = fc.double({ min: 0, max: 1, noNaN: true });

const jitters = fc.oneof(
  fc.constantFrom('none', 'full', 'equal', 'bounded'),
  fc.record({ proportional: shares }),
  fc.record({ down: shares, up: fc.constantFrom(0, 0.2, 4, 1e300) }, { requiredKeys: ['down'] }),
  fc.record({ up: fc.constantFrom(0, 0.2, 4, 1e300) }),
  fc.record({ minus: durations }),
  fc.record({ plus: durations, minus: durations, increment: durations }, { requiredKeys: ['plus'] }),
);

const parts = {
  maxAttempts: fc.oneof(fc.integer({ min: 1 }), fc.constantFrom('Infinity', 1e21)),
  initialDelay: durations,
  backoff: backoffs,
  delays: fc.array(
    fc.record(
      { on: fc.array(matchers, { minLength: 1, maxLength: 2 }), backoff: backoffs, jitter: jitters },
      { requiredKeys: ['on', 'backoff'] },
    ),
    { maxLength: 2 },
  ),
  immediateFirst: fc.boolean(),
  jitter: jitters,
  minDelay: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(0, 1, '0.5ms') },
    { weight: 1, arbitrary: durations },
  ),
  maxDelay: limits,
  capAt: fc.constantFrom('before-jitter', 'after-jitter', 'ignores-jitter'),
  granularity: fc.constantFrom(0, 1, 700, '1.5s', '1m', '2.0ms', '0.00001m', '1.2340s'),
  retryOn: fc.oneof(
    fc.constantFrom('everything', 'nothing'),
    fc.array(matchers, { minLength: 1, maxLength: 3 }),
  ),
  stopOn: fc.array(matchers, { maxLength: 2 }),
  retryIf: names,
  attemptTimeout: limits.filter(isMoreThan0),
  totalTimeout: limits.filter(isMoreThan0),
  // `false` needs a list of errors, which the schema does not compare.
  idempotent: fc.constant(true),
  retryTimeouts: fc.boolean(),
  retryAfter: fc.record(
    {
      max: limits,
      mode: fc.constantFrom('floor', 'replace', 'ignore'),
      beyondMax: fc.constantFrom('stop', 'ignore', 'clamp'),
      jitter: fc.oneof(
        fc.constant('none'),
        fc.record({ up: fc.constantFrom(0, 0.1, 3) }),
        fc.record({ plus: durations }),
      ),
    },
    { requiredKeys: [] },
  ),
  retryable: fc.boolean(),
} satisfies Record<PolicyKey, unknown>;

const KEYS = Object.keys(parts);

/** Only a few keys, so that one wrong value is often the only one. */
const valid = fc
  .tuple(fc.record(parts), fc.subarray(KEYS, { maxLength: 4 }))
  .map(([document, kept]) =>
    Object.fromEntries(Object.entries(document).filter(([key]) => kept.includes(key))),
  );

function isMoreThan0(duration: unknown): boolean {
  return duration !== 0 && duration !== '0s';
}

/** Values that are wrong for most keys and valid for some. */
const strangers = fc.oneof(
  fc.constantFrom<unknown>(null, null, true, false, 0, -1, 1, 2, 1.5, -0.5, 1e300, 5e-324),
  fc.constantFrom<unknown>(
    '',
    'x',
    '10',
    '2 s',
    '5min',
    '-1s',
    '1e3ms',
    '.5s',
    '1.s',
    ' 1s',
    '1s\n',
    '1S',
    '٣s',
  ),
  fc.constantFrom<unknown>(
    'Infinity',
    'infinity',
    '-Infinity',
    'nothing',
    'everything',
    'known',
    '0s',
    '0.00h',
    '1.5ms',
    '2.50s',
  ),
  fc.constantFrom<unknown>([], {}, [null], [{}], [[]], ['1s', null], [0], { type: 'none' }, { type: 'warp' }),
  fc.constantFrom<unknown>({ proportional: 1.1 }, { glob: 'x', flag: 'i' }, { glob: 'x', except: null }),
  fc.constantFrom<unknown>(
    { pattern: 'x' },
    { pattern: 'x', flags: 'i' },
    { glob: 5 },
    { glob: 'x', except: [] },
  ),
  fc.constantFrom<unknown>({ next: 1 }, { name: [] }, { status: '503' }, { cause: null }, { max: null }),
  fc.nat(30).map(deepCause),
);

/** A matcher with this many causes within each other. */
export function deepCause(depth: number): unknown {
  return depth === 0 ? { code: 'E' } : { cause: deepCause(depth - 1) };
}

interface Mutation {
  readonly at: number;
  readonly verb: 'replace' | 'remove' | 'add';
  readonly key: string;
  readonly value: unknown;
}

const mutations: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(),
  verb: fc.constantFrom('replace', 'replace', 'remove', 'add'),
  key: fc.constantFrom('extra', 'retries', '__proto__', 'toString', 'base', 'type', '$schema', 'MAXATTEMPTS'),
  value: strangers,
});

/** JSON documents: valid policies, and policies with up to two values replaced. */
export const policyDocuments: fc.Arbitrary<unknown> = fc
  .tuple(valid, fc.array(mutations, { maxLength: 2 }))
  .map(([document, changes]) => changes.reduce(mutate, JSON.parse(JSON.stringify(document))));

function mutate(document: unknown, { at, verb, key, value }: Mutation): unknown {
  const paths = pathsOf(document);
  const path = paths[at % paths.length] ?? [];
  if (verb === 'add') return setAt(document, path, (inner) => withKey(inner, key, value));
  if (path.length === 0) return verb === 'remove' ? document : value;
  return setAt(document, path.slice(0, -1), (outer) =>
    withKey(outer, path.at(-1) ?? '', verb === 'remove' ? undefined : value),
  );
}

function pathsOf(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [[]];
  return [
    [],
    ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner).map((path) => [key, ...path])),
  ];
}

function setAt(
  value: unknown,
  [key, ...rest]: readonly string[],
  change: (value: unknown) => unknown,
): unknown {
  if (key === undefined) return change(value);
  return withKey(value, key, setAt(Object(value)[key], rest, change));
}

/** Returns a copy with the key set, or removed; a value without keys is returned as it is. */
function withKey(outer: unknown, key: string, value: unknown): unknown {
  if (typeof outer !== 'object' || outer === null) return outer;
  if (Array.isArray(outer)) {
    return outer.flatMap((item, index) =>
      String(index) !== key ? [item] : value === undefined ? [] : [value],
    );
  }
  const entries = Object.entries(outer).filter(([known]) => known !== key);
  return Object.fromEntries(value === undefined ? entries : [...entries, [key, value]]);
}
