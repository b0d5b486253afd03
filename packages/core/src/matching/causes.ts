import { read } from '../read.ts';

/** Errors may form endless chains through getters; no real chain is this long. */
const MAX_ERRORS = 1_000;

/** Every error beneath this one, nearest first: through `cause` and `AggregateError.errors`, each once, a thousand at most. */
export function beneath(error: unknown): readonly unknown[] {
  const found = new Set([error]);
  for (const outer of found) {
    for (const inner of directlyBeneath(outer)) {
      if (found.size > MAX_ERRORS) break;
      found.add(inner);
    }
  }
  found.delete(error);
  return [...found];
}

function directlyBeneath(error: unknown): readonly unknown[] {
  const cause = read(error, 'cause');
  const all = listOf(read(error, 'errors'));
  return cause === undefined ? all : [cause, ...all];
}

/** A copy, as a list that is a Proxy may throw at every look. */
function listOf(errors: unknown): readonly unknown[] {
  if (typeof errors !== 'object' || errors === null) return [];
  try {
    return Array.isArray(errors) ? errors.slice(0, MAX_ERRORS) : [];
  } catch {
    return [];
  }
}
