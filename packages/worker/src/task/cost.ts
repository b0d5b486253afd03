import type { Run } from '@retry/core/broker';
import { CostError } from '../errors.ts';
import { readPayload } from './payload.ts';
import type { AnyTask } from './task.ts';

/**
 * Returns what the start of a run counts as against the limit that all workers share.
 *
 * @returns an integer from 1 to the limit
 * @throws {CostError} when the function of the task answers no such number, or throws
 * @throws {PayloadError} when the payload is broken
 */
export function costOf({ globalRateLimit }: AnyTask, { payload }: Pick<Run, 'payload'>): number {
  if (globalRateLimit?.cost === undefined) return 1;
  const { cost, limit } = globalRateLimit;
  const answer = answerOf(cost, readPayload(payload));
  const isCost = typeof answer === 'number' && answer > 0;
  if (isCost && Math.ceil(answer) <= limit) return Math.ceil(answer);
  if (isCost)
    throw new CostError(
      `the run costs ${answer}, more than the limit of ${limit} that globalRateLimit allows in a window: it could never start. ` +
        'Raise the limit, or split the work.',
    );
  throw new CostError(
    `globalRateLimit.cost answered ${nameOf(answer)} for the payload of the run, and has to answer a number > 0.`,
  );
}

function answerOf(cost: (payload: never) => unknown, payload: unknown): unknown {
  try {
    return cost(payload as never); // its type is the function's claim about stored payloads
  } catch (cause) {
    throw new CostError('globalRateLimit.cost threw for the payload of the run: see the cause.', { cause });
  }
}

function nameOf(answer: unknown): string {
  if (answer instanceof Promise) {
    answer.catch(() => {}); // whatever it comes to, nobody waits for it
    return 'a promise';
  }
  return typeof answer === 'number' ? String(answer) : typeof answer;
}
