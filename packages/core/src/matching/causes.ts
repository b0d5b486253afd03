import { isList, read } from '../read.ts';
import { isClassless, isError, MAX_PROPERTIES, ownEntries } from './own-values.ts';

/** The limit of a chain of causes: getters can make it endless. */
const MAX_ERRORS = 1_000;

/**
 * Returns the causes of an error, nearest first: `cause`, `AggregateError.errors`, both errors of a `SuppressedError`, and any own
 * property that holds an error, a list of errors, or a plain object with one (`original`, `detail`, `lastError`, `previousErrors`,
 * `meta.driverAdapterError`, …). Each once, at most 1000.
 */
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
  if (typeof error !== 'object' || error === null) return [];
  const cause = read(error, 'cause');
  const named = listOf(read(error, 'errors'), MAX_ERRORS);
  // `using` throws a SuppressedError, whose properties are not enumerable.
  const ofDisposal = [read(error, 'error'), read(error, 'suppressed')].filter(isError);
  return [...(cause === undefined ? [] : [cause]), ...named, ...ofDisposal, ...errorsWithin(error, true)];
}

/** Returns the errors that own properties hold. */
function errorsWithin(holder: object, mayDescend: boolean): readonly unknown[] {
  const errors: unknown[] = [];
  for (const [, value] of ownEntries(holder)) {
    if (typeof value !== 'object' || value === null) continue;
    if (isError(value)) errors.push(value);
    else if (mayDescend && isClassless(value)) errors.push(...errorsWithin(value, false));
    else errors.push(...listOf(value, MAX_PROPERTIES).filter(isError));
  }
  return errors;
}

/** Returns a copy of the list, because a Proxy may throw at every access; an empty one for anything but a list. */
function listOf(errors: unknown, limit: number): readonly unknown[] {
  try {
    return isList(errors) ? errors.slice(0, limit) : [];
  } catch {
    return [];
  }
}
