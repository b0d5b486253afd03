/**
 * The letters of the lifecycle are core's. An end state has its capital letter, and the run may be forgotten by retention. Its small
 * letter is a dead letter: kept until it is redriven or discarded.
 */
import { STATE_LETTERS } from '@retry/core/broker/kit';
import type { EndState } from '@retry/core/lifecycle';

/** The small letter of an end state. */
export function deadLetterOf(name: EndState): string {
  return STATE_LETTERS[name].toLowerCase();
}
