import { textProblem } from '@retry/core/broker/kit';

/** The rule of a text for people that brokers keep: why, or who. */
export const A_REASON = {
  accepts: (value: unknown): value is string => textProblem(value) === undefined,
  message: 'must be text of 1 to 512 bytes',
  cure: 'Say it in one line, or leave it out.',
};
