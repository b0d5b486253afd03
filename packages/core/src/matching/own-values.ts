import { tagOf } from '../read.ts';

/** The properties of one error, and the items of one list, that are looked at. */
export const MAX_PROPERTIES = 100;

/** Returns the enumerable own properties, and their values. Getters are not called: what they cost is not known. */
export function ownEntries(holder: object): readonly (readonly [key: string, value: unknown])[] {
  try {
    const keys = Object.keys(holder).slice(0, MAX_PROPERTIES);
    return keys.map((key) => [key, Object.getOwnPropertyDescriptor(holder, key)?.value]);
  } catch {
    return []; // a revoked Proxy
  }
}

/**
 * Returns whether a value is an error. Those of node-fetch 2 inherit from one, but no constructor of one made them: their tag is that of
 * any object.
 */
export function isError(value: unknown): boolean {
  const tag = tagOf(value);
  return tag === '[object Error]' || tag === '[object DOMException]' || inheritsFromError(value);
}

function inheritsFromError(value: unknown): boolean {
  try {
    return value instanceof Error;
  } catch {
    return false; // a Proxy
  }
}

/** Returns whether an object has no class: its prototype is that of an object literal of any realm, or there is none. */
export function isClassless(value: object): boolean {
  try {
    const prototype: unknown = Object.getPrototypeOf(value);
    return prototype === null || Object.getPrototypeOf(prototype) === null;
  } catch {
    return false;
  }
}
