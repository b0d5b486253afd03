/** Reads a property of anything; a function, a primitive or nothing at all has none. */
export function read(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<PropertyKey, unknown>>)[key]; // any object may be read by any key
}
