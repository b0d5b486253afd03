import type { Clock } from '@retry/core';
import { createClock, guardClock } from '@retry/core/clock';
import type { Fields } from '@retry/core/fields';
import { A_CLOCK } from '@retry/core/fields';
import { errorText } from './error-text.ts';
import { warnRarely } from './warn-rarely.ts';

/** Epoch milliseconds at which the monotonic clock began: a wall clock that is set back cannot stall a worker. */
const ORIGIN_AT = Date.now() - performance.now();

/** The runtime's own, to notice that a test runner has replaced them. */
const { Date: RealDate, setTimeout: realTimeout } = globalThis;

/** The runtime's own: where only the date is faked, time does not pass by it. */
const { now: dateNow } = RealDate;

/** Where timers and dates are faked, the fake date is the time: `node:test` fakes no `performance`. */
const isFaked = (): boolean => Date !== RealDate && setTimeout !== realTimeout;

/** Every run reads it several times, so the usual answer comes first. */
const now = (): number => (Date === RealDate || !isFaked() ? ORIGIN_AT + performance.now() : Date.now());

/** Follows a wall clock that is set, or goes on while the computer sleeps. */
const wallNow = (): number => (isFaked() ? Date.now() : dateNow());

/** The runtime's own clock. Globals are looked up at each call, so that fake timers installed later work. */
export const systemClock: Clock = createClock({
  now,
  wallNow,
  set: (callback, delayMs) => setTimeout(callback, delayMs),
  clear: (timer: ReturnType<typeof setTimeout>) => clearTimeout(timer),
});

/** The runtime's own clock, with timers that do not keep the process alive. */
export const backgroundClock: Clock = createClock({
  now,
  wallNow,
  set: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs);
    timer.unref?.(); // there is none in browsers
    return timer;
  },
  clear: (timer: ReturnType<typeof setTimeout>) => clearTimeout(timer),
});

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
