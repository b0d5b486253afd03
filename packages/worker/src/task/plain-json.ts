/** Deeper values take the slow way; so do cycles. */
const MAX_DEPTH = 100;

/** How many more items of lists the text has room for: a sparse list may have 2³² without taking any memory. */
interface ItemRoom {
  items: number;
}

/**
 * Returns whether JSON holds a value without any loss, as far as a quick check can see: only data that literals can write,
 * without keys that could pollute prototypes. For such a value a bare `JSON.stringify` writes what it writes with
 * `lossRefuser`, which then refuses nothing, in a third of the time. `false` for all that has to be looked at more closely, such as
 * instances of classes and objects with a `toJSON`. Getters run here, too.
 */
export function isPlainJson(value: unknown, room: ItemRoom = { items: Infinity }, depth = 0): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return value === null || (depth < MAX_DEPTH && isPlainObject(value, room, depth + 1));
    case 'bigint':
    case 'function':
    case 'symbol':
      return false;
  }
}

function isPlainObject(value: object, room: ItemRoom, depth: number): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  const { toJSON } = value as { readonly toJSON?: unknown }; // any object may have one
  if (toJSON !== undefined) return false;
  if (Array.isArray(value)) return prototype === Array.prototype && hasPlainItems(value, room, depth);
  return (prototype === Object.prototype || prototype === null) && hasPlainValues(value, room, depth);
}

function hasPlainItems(items: readonly unknown[], room: ItemRoom, depth: number): boolean {
  room.items -= items.length;
  if (room.items < 0) return false;
  for (let index = 0; index < items.length; index += 1) {
    if (!isPlainJson(items[index], room, depth)) return false;
  }
  return true;
}

/**
 * Looks at each value by `for … in`, which makes no list of the keys; inherited ones, which prototypes of plain data do not have, do no
 * harm.
 */
function hasPlainValues(value: object, room: ItemRoom, depth: number): boolean {
  for (const key in value) {
    if (key === '__proto__' || key === 'constructor') return false;
    const one = (value as Readonly<Record<string, unknown>>)[key]; // one of its own keys
    if (typeof one !== 'string' && !isPlainJson(one, room, depth)) return false;
  }
  return true;
}
