import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lossRefuser, readPayload } from '../../packages/worker/src/task/payload.ts';
import { isPlainJson } from '../../packages/worker/src/task/plain-json.ts';

class Money {
  readonly amount: unknown;
  constructor(amount: unknown) {
    this.amount = amount;
  }
}

class Written extends Money {
  toJSON(): unknown {
    return this.amount;
  }
}

/** The object, with this property as an own one whatever its name is. */
function withOwn(target: object, key: string, descriptor: PropertyDescriptor): object {
  return Object.defineProperty(target, key, { enumerable: true, configurable: true, ...descriptor });
}

const keys = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'prototype', 'toJSON', 'length');

const leaves = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, true, 0, -0, 1.5, Number.NaN, Infinity, -Infinity, 10n),
  fc.constantFrom<unknown>(
    Symbol('s'),
    () => 1,
    new Map(),
    new Set([1]),
    Promise.resolve(1),
    /a/,
    new Error('e'),
  ),
  fc.constantFrom<unknown>(new Date(0), new Date(Number.NaN), Object(1n), Object(Number.NaN), Object('text')),
  fc.constantFrom<unknown>(Object.assign(new Date(0), { toISOString: () => Number.NaN }), new Uint8Array(2)),
  fc.constantFrom<unknown>(
    Object.setPrototypeOf([Number.NaN], null),
    Array(3),
    JSON.parse('{"__proto__":1}'),
  ),
  fc.string({ unit: 'binary' }),
);

/** Anything that a caller may submit: mostly data, but also what JSON drops, changes, calls or refuses. */
const anything = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaves,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 }),
    fc.tuple(keys, tie('value')).map(([key, value]) => withOwn({}, key, { value, writable: true })),
    fc.tuple(keys, tie('value')).map(([key, value]) => withOwn({}, key, { get: () => value })),
    keys.map((key) =>
      withOwn({}, key, {
        get: () => {
          throw new Error('no');
        },
      }),
    ),
    tie('value').map((value) => Object.assign(Object.create(null), { value })),
    tie('value').map((value) => new Money(value)),
    tie('value').map((value) => new Written(value)),
    tie('value').map((value) => ({ toJSON: () => value })),
    tie('value').map((value) => Object.assign([1], { toJSON: () => value })),
    tie('value').map((value) => new Proxy({ value }, {})),
    tie('value').map((value) => new Proxy([value], {})),
    tie('value').map((value) => new Proxy({ a: 1 }, { get: (_, key) => (key === 'a' ? value : undefined) })),
    tie('value').map((value) => {
      const cycle: Record<string, unknown> = { value };
      cycle['self'] = cycle;
      return cycle;
    }),
  ),
})).value;

function outcomeOf(write: () => string | undefined): unknown {
  try {
    return { text: write() };
  } catch (error) {
    return { error: error instanceof Error ? `${error.name}: ${error.message}` : error };
  }
}

function isPlain(value: unknown): boolean {
  try {
    return isPlainJson(value);
  } catch {
    return false; // a getter that throws
  }
}

describe('isPlainJson', () => {
  it('accepts no value that JSON would write in another way, or refuse, when every part of it is checked', () => {
    fc.assert(
      fc.property(anything, (value) => {
        fc.pre(isPlain(value));

        expect(outcomeOf(() => JSON.stringify(value))).toEqual(
          outcomeOf(() =>
            JSON.stringify(value, lossRefuser({ noun: 'it', cure: 'No.', maxBytes: Infinity })),
          ),
        );
      }),
    );
  });

  it('accepts no value whose text could pollute prototypes when it is read', () => {
    fc.assert(
      fc.property(anything, (value) => {
        fc.pre(isPlain(value) && value !== undefined);

        expect(outcomeOf(() => void readPayload(JSON.stringify(value)))).toEqual({ text: undefined });
      }),
    );
  });

  it('accepts all that JSON text can say but keys that could pollute prototypes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
        fc.pre(!/"(?:__proto__|constructor)":/.test(JSON.stringify(value)));

        expect(isPlainJson([value])).toBe(true);
      }),
    );
  });

  it('accepts no number that JSON cannot hold, at any depth', () => {
    const nested = (depth: number): unknown => (depth === 0 ? Number.NaN : [nested(depth - 1)]);

    for (const depth of [0, 1, 99, 100, 101, 500]) expect(isPlainJson(nested(depth))).toBe(false);
  });
});
