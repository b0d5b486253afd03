import { durationMs } from '../duration.ts';
import { InvalidOptionsError } from '../errors.ts';
import { useOneOf } from '../fields/cures.ts';
import type { Fields, Report } from '../fields/fields.ts';
import { readFields } from '../fields/fields.ts';
import { BACKOFF_CURES, BACKOFF_SYNONYMS } from '../fields/synonyms.ts';
import { ASYNC_CURE, FINITE_AT_LEAST_0, isAsync, MUST_BE_SYNCHRONOUS } from '../fields/value-rules.ts';
import { refusePromise } from '../matching/answer.ts';
import { isList, MAX_ITEMS, read } from '../read.ts';
import type { Backoff } from './delays.ts';
import { methodOf, own } from './registry.ts';
import type { DelayStrategy, Registry } from './strategy.ts';

const KEYS: Readonly<Record<Backoff['type'], readonly string[]>> = {
  none: [],
  constant: ['base'],
  linear: ['base', 'increment'],
  exponential: ['base', 'factor', 'offset'],
  polynomial: ['base', 'exponent', 'offset', 'from'],
  fibonacci: ['base'],
  decorrelated: ['base'],
  list: ['delays'],
  custom: ['strategy', 'base'],
};

/** What to write behind the type, where a base alone is not enough. */
const EXAMPLES: Partial<Readonly<Record<Backoff['type'], string>>> = {
  none: '',
  polynomial: ", base: '1s', exponent: 2",
  list: ", delays: ['1s', '5s', '1m']",
  custom: ', strategy: (retry) => retry * 1_000',
};

const TYPES = Object.keys(KEYS) as readonly Backoff['type'][]; // the keys of a Record are its key type

const DEFAULT: Backoff = Object.freeze({ type: 'exponential', baseMs: 100, factor: 2 });

/** Reads the `backoff` of a policy; returns the default after reporting a problem. */
export function readBackoff(policy: Fields, registry: Registry, report: Report): Backoff {
  const input = policy.value('backoff');
  if (input === undefined) return DEFAULT;
  const example = exampleOf(input);
  if (example !== undefined) {
    policy.fail('backoff', 'must be an object', `Use backoff: { ${example} }.`);
    return DEFAULT;
  }
  const type = TYPES.find((known) => known === read(input, 'type'));
  const keys = ['type', ...(type === undefined ? Object.values(KEYS).flat() : KEYS[type])];
  const fields = readFields(input, policy.path('backoff'), {
    ...{ keys, report, synonyms: BACKOFF_SYNONYMS, cures: BACKOFF_CURES },
  });
  if (fields === undefined) return DEFAULT;
  if (type !== undefined) return Object.freeze(backoffOf(type, fields, registry));

  fields.fail('type', 'is not a kind of backoff', typeCure(read(input, 'type')));
  return DEFAULT;
}

/** Returns the backoff that is meant by its type alone, by a delay, a list of them, or a strategy. */
function exampleOf(input: unknown): string | undefined {
  const ms = durationMs(input);
  if (ms !== undefined && ms < Infinity)
    return `type: 'constant', base: ${typeof input === 'string' ? `'${input}'` : input}`;
  const meant = typeof input === 'function' ? 'custom' : isList(input) ? 'list' : input;
  const named = TYPES.find((known) => known === meant);
  return named && `type: '${named}'${EXAMPLES[named] ?? ", base: '1s'"}`;
}

/** Returns the cure for a type that is none: other libraries have a constant delay that is fixed, and exponential ones by their jitter. */
function typeCure(given: unknown): string {
  const text = typeof given === 'string' ? given.toLowerCase() : '';
  if (/^(fixed|static|const|simple|linear_?wait)$/.test(text)) return "Use 'constant'.";
  if (/^exp/.test(text)) return "Use 'exponential'; jitter is an option of the policy.";
  return useOneOf(TYPES);
}

function backoffOf(type: Backoff['type'], fields: Fields, registry: Registry): Backoff {
  const base = (): number => fields.duration('base', undefined, { finite: true });
  switch (type) {
    case 'none':
      return { type };
    case 'linear': {
      const baseMs = base();
      return { type, baseMs, incrementMs: fields.duration('increment', baseMs, { finite: true }) };
    }
    case 'exponential':
      return { type, baseMs: base(), factor: readFactor(fields), ...readOffset(fields) };
    case 'polynomial':
      return { type, baseMs: base(), ...readPower(fields) };
    case 'list':
      return { type, delaysMs: readDelays(fields) };
    case 'custom':
      return readCustom(fields, registry);
    case 'constant':
    case 'fibonacci':
    case 'decorrelated':
      return { type, baseMs: base() };
  }
}

function readFactor(fields: Fields): number {
  // 0 + turns -0, which JSON cannot hold, into 0.
  return (
    0 +
    fields.number('factor', 2, {
      ...FINITE_AT_LEAST_0,
      cure: 'Use 2 to double the delay each time.',
    })
  );
}

/** An offset that is not written is left out. */
function readOffset(fields: Fields): { offsetMs?: number } {
  if (fields.value('offset') === undefined) return {};
  return { offsetMs: fields.duration('offset', 0, { finite: true }) };
}

function readPower(fields: Fields): { exponent: number; offsetMs: number; from: number } {
  const cure = 'Use exponent: 2 for the square of the number of the retry.';
  return {
    exponent: fields.number('exponent', undefined, { ...FINITE_AT_LEAST_0, cure }) + 0,
    offsetMs: fields.duration('offset', 0, { finite: true }),
    from: fields.number('from', 1, AN_INTEGER) + 0,
  };
}

const AN_INTEGER = {
  accepts: Number.isSafeInteger,
  message: 'must be an integer',
  cure: 'Use 1, or 0 to begin with the offset alone.',
};

function readDelays(fields: Fields): readonly number[] {
  const given = fields.value('delays');
  const delays = isList(given) && given.length <= MAX_ITEMS ? given.map(durationMs) : [];
  const delaysMs = delays.filter((ms): ms is number => ms !== undefined && ms < Infinity);
  if (delaysMs.length === 0 || delaysMs.length < delays.length) {
    fields.fail(
      'delays',
      `must be a list of 1 to ${MAX_ITEMS} finite durations ≥ 0`,
      "Use delays: ['1s', '5s', '1m'].",
    );
  }
  return Object.freeze(delaysMs);
}

function readCustom(fields: Fields, registry: Registry): Backoff {
  const given = fields.value('strategy');
  const isName = typeof given === 'string';
  const found: unknown = isName ? own(registry.strategies, given) : given;
  const create = factoryOf(found);
  const next = create === undefined ? strategyOf(found) : fresh(create);
  if (next === undefined) fields.fail('strategy', mustBe(isName), strategyCure(registry));
  if (isAsync(next)) fields.fail('strategy', MUST_BE_SYNCHRONOUS, ASYNC_CURE);
  const baseMs = fields.duration('base', 0, { finite: true });
  const made = create !== undefined && { create };
  return { type: 'custom', ...(isName && { name: given }), next: next ?? (() => 0), ...made, baseMs };
}

function strategyOf(found: unknown): DelayStrategy | undefined {
  return methodOf(found, 'next') as DelayStrategy | undefined; // its result is checked at each call
}

/** Returns the function that creates a strategy for each call; `undefined` if the value is not such an object. */
function factoryOf(found: unknown): (() => DelayStrategy) | undefined {
  if (typeof found === 'function' || strategyOf(found) !== undefined) return undefined;
  const create = methodOf(found, 'create') as (() => unknown) | undefined; // its result is checked at each call
  if (create === undefined) return undefined;
  return () => {
    const made = create();
    refusePromise(made, 'create() of a strategy must return it immediately, got a promise.');
    const next = strategyOf(made);
    if (next !== undefined) return next;
    const cure = 'create() returns (retry, context) => ms, or an object with next.';
    throw new InvalidOptionsError([
      { path: 'backoff.strategy', value: made, message: 'is not a strategy', cure },
    ]);
  };
}

/** Returns a strategy that computes each delay by a new one, for callers that do not keep one per call. */
function fresh(create: () => DelayStrategy): DelayStrategy {
  return (retry, context) => create()(retry, context);
}

function mustBe(isName: boolean): string {
  return isName
    ? 'is not in the registry'
    : 'must be a function, an object with next, or a name in the registry';
}

function strategyCure({ strategies = {} }: Registry): string {
  return `Pass { strategies: { name: (retry, context) => ms } }; it has ${Object.keys(strategies).join(', ') || 'none'}.`;
}
