import type { Clock } from '@retry/core';
import { InvalidOptionsError } from '@retry/core';
import type { CancelTimer } from '@retry/core/clock';
import { report } from '../call/hooks.ts';
import { systemClock } from './clock.ts';

/**
 * Returns a clock of the user's that never throws, because it is read where an error would replace the outcome of a
 * call. What it throws is reported. Time stands still while it returns no instant, and a timer that it cannot set is the runtime's.
 */
export function guardClock(
  clock: Clock | undefined,
  reportError?: (error: unknown) => unknown,
): Clock | undefined {
  if (clock === undefined) return undefined;
  let latest: number | undefined;
  const now = (): number => {
    try {
      const instant: unknown = clock.now();
      if (Number.isFinite(instant)) latest = instant as number;
    } catch (error) {
      report(error, reportError);
    }
    latest ??= systemClock.now();
    return latest;
  };
  const setTimer = (callback: () => void, delayMs: number): CancelTimer => {
    try {
      const cancel: unknown = clock.setTimer(callback, delayMs);
      if (typeof cancel === 'function') return cancel as CancelTimer;
      report(noCancel(cancel), reportError);
      return () => undefined;
    } catch (error) {
      report(error, reportError);
      return systemClock.setTimer(callback, delayMs);
    }
  };
  return { now, setTimer };
}

function noCancel(value: unknown): InvalidOptionsError {
  const message = 'must return a function that cancels the timer';
  const cure = 'createClock({ now, set, clear }) of @retry/core/clock makes a clock of timers.';
  return new InvalidOptionsError([{ path: 'clock.setTimer()', value, message, cure }], 'call');
}
