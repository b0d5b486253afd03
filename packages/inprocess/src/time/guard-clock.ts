import type { Clock } from '@retry/core';
import { guardClock } from '@retry/core/clock';
import { report } from '../call/hooks.ts';
import { systemClock } from './clock.ts';

/** Returns a clock of the user's that never throws, if there is one; what it throws is reported like an error of a hook. */
export function guardedClock(
  clock: Clock | undefined,
  reportError?: (error: unknown) => unknown,
): Clock | undefined {
  return clock && guardClock(clock, { fallback: systemClock, report: (error) => report(error, reportError) });
}
