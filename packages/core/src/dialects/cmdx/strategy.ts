import type { Fields } from '../../fields/fields.ts';
import { own } from '../../policy/registry.ts';
import { isUnset } from '../read-options.ts';
import { callable } from './gate.ts';
import type { CmdxScope, CmdxStrategyCall } from './options.ts';

/** CMDx's built-in strategies. */
export type CmdxBuiltIn =
  | 'exponential'
  | 'linear'
  | 'fibonacci'
  | 'half_random'
  | 'full_random'
  | 'bounded_random'
  | 'decorrelated_jitter';

/** A strategy that a declaration refers to. */
export type CmdxStrategy =
  | { readonly type: CmdxBuiltIn | 'ignored' }
  | { readonly type: 'custom'; readonly call: CmdxStrategyCall };

const BUILT_IN: readonly CmdxBuiltIn[] = [
  'exponential',
  'linear',
  'fibonacci',
  'half_random',
  'full_random',
  'bounded_random',
  'decorrelated_jitter',
];

/** Reads a strategy. A name is looked up among the retriers, then the built-in strategies, then the task's methods. */
export function readStrategy(fields: Fields, key: string, scope: CmdxScope): CmdxStrategy | undefined {
  const given = fields.value(key);
  if (isUnset(given)) return undefined;
  if (typeof given === 'string') return findStrategy(fields, { key, name: given }, scope);
  const found = typeof given === 'function' ? given.bind(scope.task) : callable(given, 'call');
  const call = found as CmdxStrategyCall | undefined; // its result is checked at each call
  if (call !== undefined) return { type: 'custom', call: withArity(call, scope) };
  if (typeof given !== 'object') fields.fail(key, 'is not a strategy', cureOf(scope));
  return { type: 'ignored' };
}

/** Reads `block`: a strategy, but not a name. */
export function readBlock(fields: Fields, scope: CmdxScope): CmdxStrategy | undefined {
  if (typeof fields.value('block') !== 'string') return readStrategy(fields, 'block', scope);
  fields.fail('block', 'must be a function', 'Write names as jitter.');
  return undefined;
}

function findStrategy(
  fields: Fields,
  { key, name }: { readonly key: string; readonly name: string },
  scope: CmdxScope,
): CmdxStrategy {
  const retrier = callable(own(scope.retriers, name), 'call') as CmdxStrategyCall | undefined; // as above
  if (retrier !== undefined) return { type: 'custom', call: retrier };
  const builtIn = BUILT_IN.find((known) => known === name);
  if (builtIn !== undefined) return { type: builtIn };
  const method = callable(scope.task, name) as CmdxStrategyCall | undefined; // as above
  if (method !== undefined) return { type: 'custom', call: withArity(method, scope) };
  fields.fail(key, 'is neither a retrier nor a method of the task', cureOf(scope));
  return { type: 'ignored' };
}

/** Returns the call without the previous delay in v2.0.1, which passes it to retriers only. */
function withArity(call: CmdxStrategyCall, { version }: CmdxScope): CmdxStrategyCall {
  return version === 'v2.0.1' ? (attempt, delay) => call(attempt, delay) : call;
}

function cureOf({ retriers }: CmdxScope): string {
  const names = [...BUILT_IN, ...Object.keys(retriers)].join(', ');
  return `Use one of ${names}, or pass retriers: { name: (attempt, delay, previous) => seconds }.`;
}
