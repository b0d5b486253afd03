import { MAX_INSTANT_AT } from '@retry/core';
import { textProblem } from '@retry/core/broker/kit';

/** The rule of a text for people that brokers keep: why, or who. */
export const A_REASON = {
  accepts: (value: unknown): value is string => textProblem(value) === undefined,
  message: 'must be text of 1 to 512 bytes',
  cure: 'Say it in one line, or leave it out.',
};

/** The rule of a delay from now; brokers store instants up to `MAX_INSTANT_AT`. */
export const A_DELAY = {
  finite: true,
  fromNow: true,
  accepts: (ms: number): boolean => ms <= MAX_INSTANT_AT,
  message: `must be a finite duration from 0 to ${MAX_INSTANT_AT} ms`,
};

/** The rule of how long a lane is on hold; 0 holds nothing. */
export const A_HOLD_LENGTH = {
  finite: true,
  fromNow: true,
  accepts: (ms: number): boolean => ms >= 0 && ms <= MAX_INSTANT_AT,
  message: 'must be a finite duration ≥ 0',
};
