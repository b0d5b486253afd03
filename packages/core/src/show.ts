/** Prints a seen value in one short line; never throws, whatever the value. */
export function show(value: unknown): string {
  if (typeof value === 'function') return `function ${String(value.name)}`;
  if (typeof value !== 'string' && typeof value !== 'object') return String(value);
  try {
    if (value instanceof Error) return String(value);
    return (JSON.stringify(value) ?? typeof value).slice(0, 80);
  } catch {
    return typeof value;
  }
}
