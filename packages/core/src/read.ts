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
