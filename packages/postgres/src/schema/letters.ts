/**
 * The letters of the lifecycle as SQL texts write them. The tables are core's; this file adds what only this store has.
 *
 * An end state has its capital letter, and the run may be forgotten by retention. Its small letter is a dead letter: kept
 * until it is redriven or discarded.
 */
import { ANSWER_LETTERS, DESTINATION_LETTERS, STATE_LETTERS } from '@retry/core/broker/kit';
import type { EndState, RunState } from '@retry/core/lifecycle';
import { isDeadLetter, isEnd, RUN_STATES } from '@retry/core/lifecycle';

/** The end states of dead letters, unless the run is disposable. */
export const DEAD_LETTER_STATES: readonly EndState[] = RUN_STATES.filter(isEnd).filter(isDeadLetter);

type Destination = keyof typeof DESTINATION_LETTERS;

/** The letter of a state, quoted: `'w'`. */
export function state(name: RunState): string {
  return quoted(STATE_LETTERS[name]);
}

/** A list of states: `('w', 's')`. */
export function states(...names: readonly RunState[]): string {
  return listOf(names.map((name) => STATE_LETTERS[name]));
}

/** The states in which a run waits: in its lane, parked behind its concurrency key, or in the schedule. */
export const WAITING: string = states('submitted', 'scheduled');

/** The states in which a run has not ended. */
export const ACTIVE: string = states(...RUN_STATES.filter((name) => !isEnd(name) && name !== 'unsubmitted'));

/** The names of these states, for functions that take names. */
export const ACTIVE_NAMES: string = listOf(
  RUN_STATES.filter((name) => !isEnd(name) && name !== 'unsubmitted'),
);

/** The letters of dead letters. */
export const DEAD: string = listOf(DEAD_LETTER_STATES.map(deadLetterOf));

/** The letter of a dead letter of this state, quoted: `'f'`. */
export function dead(name: EndState): string {
  return quoted(deadLetterOf(name));
}

/** The letter of a destination, quoted. */
export function destination(name: Destination): string {
  return quoted(DESTINATION_LETTERS[name]);
}

/** The destinations from which a run continues. */
export const CONTINUED: string = listOf(
  (['front', 'back', 'schedule'] as const).map((name) => DESTINATION_LETTERS[name]),
);

/** The letter of an answer, quoted. */
export function answer<Verb extends keyof typeof ANSWER_LETTERS>(
  verb: Verb,
  name: keyof (typeof ANSWER_LETTERS)[Verb],
): string {
  return quoted(String(ANSWER_LETTERS[verb][name]));
}

/** A `case` that turns the letter in `letter` into the name of its state. */
export function stateNameOf(letter: string): string {
  const whens = [
    ...RUN_STATES.map((name) => [state(name), name]),
    ...DEAD_LETTER_STATES.map((name) => [dead(name), name]),
  ];
  return `case ${letter} ${whens.map(([text, name]) => `when ${text} then '${name}'`).join(' ')} end`;
}

/** The small letter of an end state. */
export function deadLetterOf(name: EndState): string {
  return STATE_LETTERS[name].toLowerCase();
}

function listOf(texts: readonly string[]): string {
  return `(${texts.map(quoted).join(', ')})`;
}

function quoted(text: string): string {
  return `'${text}'`;
}
