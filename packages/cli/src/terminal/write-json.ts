/** Returns a value as JSON text of several lines; `Infinity` is the text `'Infinity'`, as in a policy file, and a BigInt is text, too. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => writable(inner), 2);
}

function writable(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value); // JSON has none, and a configuration may have one where it is wrong
  return value === Infinity ? 'Infinity' : value;
}
