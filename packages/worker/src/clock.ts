import type { Clock } from '@retry/core';
import { backgroundTimers, createClock, guardClock, runtimeTimers } from '@retry/core/clock';
import type { Fields } from '@retry/core/fields';
import { A_CLOCK } from '@retry/core/fields';
import { errorText } from './error-text.ts';
import { warnRarely } from './warn-rarely.ts';

const timers = runtimeTimers(globalThis);

/** The runtime's own clock. */
export const systemClock: Clock = createClock(timers);

/** The runtime's own clock, with timers that do not keep the process alive. */
export const backgroundClock: Clock = createClock(backgroundTimers(timers));

/** Reads the option `clock`. One of the user's never throws from now on; what it throws is a process warning. */
export function readClock(fields: Fields): Clock {
  const clock = fields.optional('clock', A_CLOCK);
  return clock === undefined ? systemClock : guardClock(clock, { fallback: systemClock, report: warnOf });
}

const warn = warnRarely(systemClock);

function warnOf(error: unknown): void {
  const { message } = errorText(error);
  const cure = 'Time does not advance meanwhile. Correct the clock, or leave it out for the real one.';
  warn({ code: 'RETRY_UNHANDLED_ERROR', message: `the option clock: ${message}`, cure });
}
