import type { LintOptions, Policy, Problem } from '@retry/core';
import { InvalidOptionsError, lintPolicy } from '@retry/core';
import { settingsOf } from '@retry/core/fields';

/** Where a policy was found; lines and columns count from 1, and are absent where the source is a policy as a whole. */
export interface PolicyLocation {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** What defines it: `definePolicy`, `withRetry`, `defineTask retry`, … */
  readonly call?: string;
}

/** Something that is wrong (`error`), or valid but rarely meant (`warning`). */
export interface Finding extends PolicyLocation {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly path: string;
  readonly message: string;
  readonly cure: string;
}

/** The code of what is wrong with a policy. */
export const INVALID_OPTIONS = 'INVALID_OPTIONS';

/** A policy, or what is wrong with it. */
export type ReadPolicy = { readonly policy: Policy } | { readonly problems: readonly Problem[] };

/** Codes that depend on delays. Those of a strategy that stands in code are not known. */
const ABOUT_DELAYS: readonly string[] = [
  ...['LONG_WORST_CASE', 'NO_WAIT', 'UNREACHABLE_ATTEMPTS', 'CAP_ERASES_JITTER', 'UNBOUNDED'],
];

/** Makes a policy by a function; the problems if it throws that its input is invalid. */
export function tryPolicy(make: () => Policy): ReadPolicy {
  try {
    return { policy: make() };
  } catch (error) {
    if (error instanceof InvalidOptionsError) return { problems: error.problems };
    throw error;
  }
}

/** Returns everything that is to be said about a policy. */
export function findingsOf(
  read: ReadPolicy,
  location: PolicyLocation,
  calls: LintOptions,
): readonly Finding[] {
  if ('problems' in read) {
    return read.problems.map(({ path, message, cure }) => ({
      ...location,
      ...{ severity: 'error', code: INVALID_OPTIONS, path, message, cure },
    }));
  }
  const isUnknown = settingsOf(read.policy).backoff.type === 'custom';
  return lintPolicy(read.policy, calls)
    .filter(({ code }) => !isUnknown || !ABOUT_DELAYS.includes(code))
    .map((warning) => ({ ...location, severity: 'warning', ...warning }));
}
