import { textProblem } from '@retry/core/broker/kit';
import { FairnessKeyError } from '../errors.ts';
import { readPayload } from './payload.ts';
import type { AnyTask } from './task.ts';

/**
 * Returns whose turn a run of the task takes in its lane; `undefined`: it waits there as ever.
 *
 * @param payload - JSON text
 * @throws {FairnessKeyError} when the function of the task answers no such text, or throws
 */
export function fairnessKeyOf({ fairness }: AnyTask, payload: string): string | undefined {
  if (fairness === undefined) return undefined;
  const key = answerOf(fairness, readPayload(payload));
  if (key === undefined) return undefined;
  if (key instanceof Promise) key.catch(() => {}); // whatever it comes to, nobody waits for it
  const problem = textProblem(key);
  if (problem === undefined && typeof key === 'string') return key;
  const answer = key instanceof Promise ? 'a promise' : typeof key === 'string' ? 'text' : typeof key;
  throw new FairnessKeyError(
    `fairness answered ${answer} that cannot be a key: it ${problem}. Answer text such as the id of a tenant, or undefined for none.`,
  );
}

function answerOf(fairness: (payload: never) => unknown, payload: unknown): unknown {
  try {
    return fairness(payload as never); // its type is the function's claim about stored payloads
  } catch (cause) {
    throw new FairnessKeyError('fairness threw for the payload: see the cause.', { cause });
  }
}
