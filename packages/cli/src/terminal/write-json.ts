/** Returns a value as JSON text of several lines; `Infinity` is the text `'Infinity'`, as in a policy file. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (inner === Infinity ? 'Infinity' : inner), 2);
}
