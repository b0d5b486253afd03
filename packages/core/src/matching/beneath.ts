import { read } from '../read.ts';

/** Errors may form endless chains through getters; nobody's real chain is this long. */
const MOST_ERRORS = 1_000;

/** Every error beneath this one, nearest first: through `cause` and `AggregateError.errors`, each once, a thousand at most. */
export function beneath(error: unknown): readonly unknown[] {
  const found = new Set([error]);
  for (const outer of found) {
    for (const inner of directlyBeneath(outer)) {
      if (found.size > MOST_ERRORS) break;
      found.add(inner);
    }
  }
  found.delete(error);
  return [...found];
}

function directlyBeneath(error: unknown): readonly unknown[] {
  const [cause, errors] = [read(error, 'cause'), read(error, 'errors')];
  const all = Array.isArray(errors) ? errors : [];
  return cause === undefined ? all : [cause, ...all];
}
