/**
 * One letter for each state, destination and answer: what servers store and reply instead of words. SQL and Lua texts
 * interpolate them, TypeScript reads them by the same tables. A state or an answer without a letter does not compile.
 *
 * End states have capitals. A store may write the small letter for an end that retention must keep (a dead letter), so
 * no two letters of states and destinations are equal without regard to case, unless they mean the same.
 */
import type { RunState } from '../../lifecycle/run-state.ts';
import { byEnd } from '../../lifecycle/run-state.ts';
import type { ChangeAnswer } from '../change.ts';
import type { HeartbeatAnswer } from '../heartbeat.ts';
import type { Locked } from '../locked.ts';
import type { SettleAnswer } from '../settlement.ts';
import type { KeyAnswer, SubmitAnswer } from '../submission.ts';
import type { Destination } from './settlement-rules.ts';

/** The letter of each state in a stored run. */
export const STATE_LETTERS: Readonly<Record<RunState, string>> = {
  unsubmitted: 'u',
  submitted: 'w',
  scheduled: 's',
  started: 'r',
  completed: 'C',
  failed: 'F',
  cancelled: 'X',
  stalled: 'T',
  dropped: 'D',
  rateLimited: 'L',
};

/** The letter of each destination in a settlement on its way to the server; end states keep their own letters. */
export const DESTINATION_LETTERS: Readonly<Record<Destination, string>> = {
  front: 'r',
  back: 'b',
  schedule: STATE_LETTERS.scheduled,
  ...byEnd((state) => STATE_LETTERS[state]),
};

/** The answers of each verb that replies by letters. */
interface Answers {
  readonly submit: Exclude<SubmitAnswer, KeyAnswer | Locked>;
  /** Of submissions that may be unique. An id comes with those that name a run. */
  readonly submitUnique: Exclude<SubmitAnswer, KeyAnswer | Locked> | KeyAnswer['type'];
  readonly settle: Exclude<SettleAnswer, Locked>;
  readonly heartbeat: HeartbeatAnswer;
  readonly change: ChangeAnswer;
}

/** The letter of each answer in the reply of a server. */
export const ANSWER_LETTERS: { readonly [Verb in keyof Answers]: Readonly<Record<Answers[Verb], string>> } = {
  submit: { created: 'c', exists: 'e' },
  submitUnique: { created: 'c', exists: 'e', kept: 'k', replaced: 'r' },
  settle: { ok: 'o', already: 'a', fenced: 'f', gone: 'g' },
  heartbeat: { ok: 'o', cancel: 'c', fenced: 'f', gone: 'g' },
  change: { done: 'd', changed: 'x', locked: 'l', gone: 'g' },
};

const STATES: ReadonlyMap<string, RunState> = wordsByLetter(STATE_LETTERS);

const ANSWERS = {
  submit: wordsByLetter(ANSWER_LETTERS.submit),
  submitUnique: wordsByLetter(ANSWER_LETTERS.submitUnique),
  settle: wordsByLetter(ANSWER_LETTERS.settle),
  heartbeat: wordsByLetter(ANSWER_LETTERS.heartbeat),
  change: wordsByLetter(ANSWER_LETTERS.change),
} satisfies { readonly [Verb in keyof Answers]: ReadonlyMap<string, Answers[Verb]> };

/** Returns the state of a letter, in either case; `undefined` for any other text. */
export function stateOfLetter(letter: string): RunState | undefined {
  return STATES.get(letter) ?? STATES.get(letter.toUpperCase());
}

/** Returns the answer of a letter in a server's reply; `undefined` for any other text. */
export function answerOfLetter<Verb extends keyof Answers>(
  verb: Verb,
  letter: string,
): Answers[Verb] | undefined {
  const answers: ReadonlyMap<string, Answers[keyof Answers]> = ANSWERS[verb];
  return answers.get(letter) as Answers[Verb] | undefined; // the table of its own verb
}

/** Returns the answers in the reply of a server, one letter each. @throws {TypeError} for an unknown letter */
export function readAnswers<Verb extends keyof Answers>(
  verb: Verb,
  letters: string,
): readonly Answers[Verb][] {
  return Array.from(letters, (letter) => {
    const answer = answerOfLetter(verb, letter);
    if (answer === undefined) throw new TypeError(`${letter} is no answer of ${verb}`);
    return answer;
  });
}

function wordsByLetter<Word extends string>(letters: Readonly<Record<Word, string>>): Map<string, Word> {
  // The keys of a table are its words.
  return new Map((Object.entries(letters) as [Word, string][]).map(([word, letter]) => [letter, word]));
}
