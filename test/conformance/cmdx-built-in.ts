import type { CmdxBuiltIn } from '@retry/core/dialects/parity';

const NAMES: Readonly<Record<CmdxBuiltIn, true>> = {
  exponential: true,
  linear: true,
  fibonacci: true,
  half_random: true,
  full_random: true,
  bounded_random: true,
  decorrelated_jitter: true,
};

/** Returns whether a case names a built-in strategy of CMDx, and does not describe a custom one. */
export function isBuiltIn(name: string): name is CmdxBuiltIn {
  return Object.hasOwn(NAMES, name);
}
