/**
 * Reads a property of a value that a user threw or returned. A function, a primitive or nothing at all has none, and
 * neither has what throws when it is read: a getter, a revoked Proxy.
 */
export function read(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    return (value as Readonly<Record<PropertyKey, unknown>>)[key]; // any object may be read by any key
  } catch {
    return undefined;
  }
}
