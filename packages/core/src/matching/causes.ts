import { read } from '../read.ts';

/** The limit of a chain of causes: getters can make it endless. */
const MAX_ERRORS = 1_000;

/** Returns the causes of an error, nearest first: through `cause` and `AggregateError.errors`, each once, at most 1000. */
export function causesOf(error: unknown): readonly unknown[] {
  const found = new Set([error]);
  for (const outer of found) {
    for (const inner of directCauses(outer)) {
      if (found.size > MAX_ERRORS) break;
      found.add(inner);
    }
  }
  found.delete(error);
  return [...found];
}

function directCauses(error: unknown): readonly unknown[] {
  const cause = read(error, 'cause');
  const all = listOf(read(error, 'errors'));
  return cause === undefined ? all : [cause, ...all];
}

/** Returns a copy of the list, because a Proxy may throw at every access; an empty one for anything but a list. */
function listOf(errors: unknown): readonly unknown[] {
  if (typeof errors !== 'object' || errors === null) return [];
  try {
    return Array.isArray(errors) ? errors.slice(0, MAX_ERRORS) : [];
  } catch {
    return [];
  }
}
