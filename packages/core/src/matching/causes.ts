import { isList, read, tagOf } from '../read.ts';

/** The limit of a chain of causes: getters can make it endless. */
const MAX_ERRORS = 1_000;

/** The properties of one error, and the items of one list, that are looked at. */
const MAX_PROPERTIES = 100;

/**
 * Returns the causes of an error, nearest first: `cause`, `AggregateError.errors`, and any own property that holds an error, a list of
 * errors, or a plain object with one (`original`, `detail`, `lastError`, `previousErrors`, `meta.driverAdapterError`, …). Each once, at
 * most 1000.
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
  const others = errorsWithin(error, true);
  return cause === undefined ? [...named, ...others] : [cause, ...named, ...others];
}

/** Returns the errors that own properties hold. Getters are not called: what they do, and what it costs, is not known. */
function errorsWithin(holder: object, mayDescend: boolean): readonly unknown[] {
  const errors: unknown[] = [];
  for (const value of ownValues(holder)) {
    if (typeof value !== 'object' || value === null) continue;
    if (isError(value)) errors.push(value);
    else if (isList(value)) errors.push(...listOf(value, MAX_PROPERTIES).filter(isError));
    else if (mayDescend && isPlain(value)) errors.push(...errorsWithin(value, false));
  }
  return errors;
}

/** Returns the values of the enumerable own properties that have one. */
function ownValues(holder: object): readonly unknown[] {
  try {
    const keys = Object.keys(holder).slice(0, MAX_PROPERTIES);
    return keys.map((key) => Object.getOwnPropertyDescriptor(holder, key)?.value);
  } catch {
    return []; // a revoked Proxy
  }
}

function isError(value: unknown): boolean {
  const tag = tagOf(value);
  return tag === '[object Error]' || tag === '[object DOMException]';
}

function isPlain(value: object): boolean {
  try {
    const prototype: unknown = Object.getPrototypeOf(value);
    return prototype === null || Object.getPrototypeOf(prototype) === null;
  } catch {
    return false;
  }
}

/** Returns a copy of the list, because a Proxy may throw at every access; an empty one for anything but a list. */
function listOf(errors: unknown, limit: number): readonly unknown[] {
  try {
    return isList(errors) ? errors.slice(0, limit) : [];
  } catch {
    return [];
  }
}
