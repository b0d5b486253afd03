/**
 * Returns a property of a value that a user threw or returned; `undefined` if the value is not an object, or if reading
 * throws (a getter, a revoked Proxy).
 */
export function read(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    return (value as Readonly<Record<PropertyKey, unknown>>)[key]; // an object may have any property
  } catch {
    return undefined;
  }
}

/** Returns whether the value is a list; a revoked Proxy of one is none. */
export function isList(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

/** How many items a list of options may have, as matchers or tasks: a sparse one may have 2³² without taking any memory. */
export const MAX_ITEMS = 10_000;

/** Returns whether the value is a list of what is accepted; what a sparse list lacks is read as `undefined`. */
export function isListOf(value: unknown, accepts: (item: unknown) => boolean): value is readonly unknown[] {
  if (!isList(value)) return false;
  // A loop, because `every` skips what the list lacks.
  for (let index = 0; index < value.length; index += 1) {
    if (!accepts(value[index])) return false;
  }
  return true;
}

/** Returns `'[object RegExp]'` for a regular expression, of any realm; `''` if the value cannot be read. */
export function tagOf(value: unknown): string {
  try {
    return Object.prototype.toString.call(value);
  } catch {
    return ''; // a revoked Proxy, or a getter that throws
  }
}

/** Returns whether the value is a regular expression, also one of another realm. */
export function isRegExp(value: unknown): value is RegExp {
  return tagOf(value) === '[object RegExp]';
}
