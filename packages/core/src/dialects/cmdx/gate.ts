import type { Fields } from '../../fields/fields.ts';
import { methodOf } from '../../policy/registry.ts';
import type { Gate } from '../../policy/strategy.ts';
import { isUnset } from '../read-options.ts';
import type { CmdxGateObject, CmdxGateTest } from './options.ts';

/** Reads `if` or `unless`; `undefined` if it is unset. */
export function readGate(fields: Fields, key: string, task: object): CmdxGateTest | undefined {
  const given = fields.value(key);
  if (isUnset(given)) return undefined;
  if (typeof given === 'boolean') return () => given;
  // The results of these functions are checked at each call.
  if (typeof given === 'function') return given.bind(task) as CmdxGateTest;
  if (typeof given === 'object') {
    const call = callable(given, 'call') as CmdxGateObject['call'] | undefined;
    if (call !== undefined) return (error, attempt) => call(task, error, attempt);
  }
  const method = typeof given === 'string' ? callable(task, given) : undefined;
  if (method !== undefined) return method as CmdxGateTest;
  fields.fail(key, 'must be a function, an object with call, or a method of the task', METHOD_CURE);
  return undefined;
}

/** Combines both gates into one that counts attempts from 1; `undefined` if neither is set. */
export function gateOf(
  ifGate: CmdxGateTest | undefined,
  unlessGate: CmdxGateTest | undefined,
): Gate | undefined {
  if (ifGate === undefined && unlessGate === undefined) return undefined;
  return (error, { attempt }) => {
    const allowed = ifGate === undefined ? true : ifGate(error, attempt - 1);
    // A promise is returned as it is: decide refuses it.
    if (unlessGate === undefined || !allowed || isPromise(allowed)) return allowed as boolean;
    const refused = unlessGate(error, attempt - 1);
    return isPromise(refused) ? (refused as never) : !refused;
  };
}

const METHOD_CURE =
  'For a name, pass task: { name: (error, attempt) => boolean }; an object has call(task, error, attempt). Attempts count from 0.';

/** Returns a function itself, or the method of an object; `undefined` if there is none. */
export function callable(value: unknown, key: string): ((...args: never[]) => unknown) | undefined {
  // Methods of every object (`constructor`, `toString`) cannot be named.
  return key in Object.prototype ? undefined : methodOf(value, key);
}

function isPromise(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value;
}
