/** Deeper values take the slow way; so do cycles. */
const MAX_DEPTH = 100;

const { toJSON: dateToJSON, toISOString } = Date.prototype;

/**
 * Returns whether JSON holds a value without any loss, as far as a quick look can tell: only data that literals can write, and
 * dates. For such a value a bare `JSON.stringify` writes what it writes with `refuseLoss`, which then refuses nothing, in a third of
 * the time. `false` for all that has to be looked at more closely, such as instances of classes and objects with a `toJSON`.
 * Getters run here, too.
 */
export function isPlainJson(value: unknown, depth = 0): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return value === null || (depth < MAX_DEPTH && isPlainObject(value, depth + 1));
    case 'bigint':
    case 'function':
    case 'symbol':
      return false;
  }
}

function isPlainObject(value: object, depth: number): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  const { toJSON } = value as { readonly toJSON?: unknown }; // any object may have one
  if (toJSON !== undefined) return prototype === Date.prototype && isPlainDate(value as Date);
  if (Array.isArray(value)) return prototype === Array.prototype && hasPlainItems(value, depth);
  return (prototype === Object.prototype || prototype === null) && hasPlainValues(value, depth);
}

/** Its text comes from these two methods. */
function isPlainDate(date: Date): boolean {
  return date.toJSON === dateToJSON && date.toISOString === toISOString;
}

function hasPlainItems(items: readonly unknown[], depth: number): boolean {
  for (let index = 0; index < items.length; index += 1) {
    if (!isPlainJson(items[index], depth)) return false;
  }
  return true;
}

function hasPlainValues(value: object, depth: number): boolean {
  for (const key of Object.keys(value)) {
    if (!isPlainJson((value as Readonly<Record<string, unknown>>)[key], depth)) return false; // one of its own keys
  }
  return true;
}
