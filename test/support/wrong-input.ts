import { InvalidOptionsError } from '@retry/core';

/** Values that JavaScript callers can pass instead of an object of options. */
export const NO_OPTIONS: readonly (readonly [name: string, value: unknown])[] = [
  ['null', null],
  ['a number', 5],
  ['text', 'fast'],
  ['a bigint', 5n],
  ['a symbol', Symbol('options')],
  ['a list', []],
  ['a Map', new Map()],
  ['a Date', new Date(0)],
  ['a promise', Promise.resolve({})],
  ['an Error', new Error('failed')],
  ['a regular expression', /x/],
  ['an AbortController', new AbortController()],
  ['a Proxy that throws', throwingProxy()],
  ['a revoked Proxy', revokedProxy()],
  ['an unknown key', { unheardOf: 1 }],
  ['an unknown key that is inherited', Object.create({ unheardOf: 1 })],
  ['a symbol as its key', { [Symbol('key')]: 1 }],
];

/** Values that no option accepts. */
export const NO_VALUES: readonly (readonly [name: string, value: unknown])[] = [
  ['null', null],
  ['a bigint', 5n],
  ['a symbol', Symbol('value')],
  ['a Date', new Date(0)],
  ['a promise', Promise.resolve(5)],
  ['a Proxy that throws', throwingProxy()],
  ['a revoked Proxy', revokedProxy()],
];

/** Calls with every option of `valid` set to each wrong value, one at a time, and to a getter that throws. */
export function eachWrongOption(valid: object): (readonly [key: string, name: string, options: object])[] {
  return Object.keys(valid).flatMap((key) => [
    ...NO_VALUES.map(([name, value]) => [key, name, { ...valid, [key]: value }] as const),
    [key, 'a getter that throws', Object.defineProperty({ ...valid }, key, THROWING)] as const,
  ]);
}

const THROWING: PropertyDescriptor = {
  enumerable: true,
  get: () => {
    throw new RangeError('a getter');
  },
};

/** The paths of the problems of the call. @throws when the call throws another error, or none */
export async function refusedPaths(call: () => unknown): Promise<readonly string[]> {
  const refused = await refusalOf(call);
  return refused.problems.map(({ path }) => path);
}

/** The `InvalidOptionsError` of the call. @throws when the call throws another error, or none */
export async function refusalOf(call: () => unknown): Promise<InvalidOptionsError> {
  try {
    await call();
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

function throwingProxy(): object {
  const trap = (): never => {
    throw new RangeError('a trap');
  };
  return new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap });
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
