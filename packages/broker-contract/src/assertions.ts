import { AssertionError, deepStrictEqual, ok, strictEqual } from 'node:assert';

export { strictEqual };

/** Asserts deep equality; a property that is undefined is equal to an absent one. */
export function equal(actual: unknown, expected: unknown, message?: string): void {
  deepStrictEqual(withoutUndefined(actual), withoutUndefined(expected), message);
}

/** Asserts that `actual` has the properties of `expected`, at every depth; it may have more. Lists match in length. */
export function matches(actual: unknown, expected: unknown, message?: string): void {
  deepStrictEqual(withoutUndefined(pick(actual, expected)), withoutUndefined(expected), message);
}

export function atLeast(actual: number | undefined, minimum: number): void {
  ok(actual !== undefined && actual >= minimum, `${actual} must be at least ${minimum}`);
}

export function atMost(actual: number | undefined, maximum: number): void {
  ok(actual !== undefined && actual <= maximum, `${actual} must be at most ${maximum}`);
}

export function above(actual: number | undefined, bound: number): void {
  ok(actual !== undefined && actual > bound, `${actual} must be above ${bound}`);
}

export function below(actual: number | undefined, bound: number): void {
  ok(actual !== undefined && actual < bound, `${actual} must be below ${bound}`);
}

/** Asserts that the promise rejects with an error whose message contains a text, or that matches an object. */
export async function rejectsWith(promise: Promise<unknown>, expected: string | object): Promise<void> {
  const error = await promise.then(
    () => {
      throw new AssertionError({ message: 'the call must reject, but it resolved' });
    },
    (reason: unknown) => reason,
  );
  if (typeof expected === 'string') ok(String(error).includes(expected), `${error} must say ${expected}`);
  else matches(error, expected);
}

/** What an error keeps of a value that was refused: of a text the beginning. */
export function keptOf(value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, 500) : value;
}

/** The part of a value that has the properties of an expected one. */
function pick(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return actual.map((item: unknown, index) => (index in expected ? pick(item, expected[index]) : item));
  }
  if (!isRecord(expected) || typeof actual !== 'object' || actual === null) return actual;
  return Object.fromEntries(
    Object.entries(expected).map(([key, value]) => [key, pick(Reflect.get(actual, key), value)]),
  );
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([, property]) => property !== undefined);
  return Object.fromEntries(entries.map(([key, property]) => [key, withoutUndefined(property)]));
}

/** Whether it is an object of properties, and neither a list nor an instance of a class. */
function isRecord(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
