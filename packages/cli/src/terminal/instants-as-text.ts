/** Keys whose values are not ours, or not to be looked into. */
const FOREIGN: readonly string[] = ['payload', 'result', 'retry', 'context', 'policy'];

/** Keys of instants. */
const INSTANT = /^(?:at|until|endedBefore|endedAfter)$|(?:At|Until)$/;

/**
 * Returns a copy for `--json`, whose instants are text (`2026-01-01T12:00:00.000Z`) instead of epoch milliseconds. What a user's
 * program stored stays as it is.
 */
export function instantsAsText(value: unknown, key = ''): unknown {
  if (FOREIGN.includes(key)) return value;
  if (typeof value === 'number') return INSTANT.test(key) ? textOf(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => instantsAsText(item));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, instantsAsText(inner, name)]),
  );
}

function textOf(at: number): string | number {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : date.toISOString();
}
