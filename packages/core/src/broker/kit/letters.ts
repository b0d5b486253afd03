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
import type { SettleAnswer } from '../settlement.ts';
import type { KeyAnswer, Locked, SubmitAnswer } from '../submission.ts';
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
  /** Answers to submissions that may be unique. An id comes with those that name a run. */
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

const ANSWERS: { readonly [Verb in keyof Answers]: ReadonlyMap<string, Answers[Verb]> } = {
  submit: wordsByLetter(ANSWER_LETTERS.submit),
  submitUnique: wordsByLetter(ANSWER_LETTERS.submitUnique),
  settle: wordsByLetter(ANSWER_LETTERS.settle),
  heartbeat: wordsByLetter(ANSWER_LETTERS.heartbeat),
  change: wordsByLetter(ANSWER_LETTERS.change),
};

/** Returns the state of a letter, in either case; `undefined` for any other text. */
export function stateOfLetter(letter: string): RunState | undefined {
  return STATES.get(letter) ?? STATES.get(letter.toUpperCase());
}

/**
 * Returns the answers in the reply of a server, one letter each.
 *
 * @param refuse - makes the error of a reply with any other letter
 */
export function readAnswers<Verb extends keyof Answers>(
  verb: Verb,
  reply: unknown,
  refuse: (reply: unknown) => Error = noAnswers,
): readonly Answers[Verb][] {
  const known = ANSWERS[verb];
  const letters = String(reply);
  const answers: Answers[Verb][] = [];
  // Not Array.from, which takes ten times as long for the one letter of most submits.
  for (let index = 0; index < letters.length; index += 1) {
    const answer = known.get(letters.charAt(index));
    if (answer === undefined) throw refuse(reply);
    answers.push(answer);
  }
  return answers;
}

function noAnswers(reply: unknown): TypeError {
  return new TypeError(`${reply} has a letter of no answer`);
}

function wordsByLetter<Word extends string>(letters: Readonly<Record<Word, string>>): Map<string, Word> {
  // The keys of a table are its words.
  return new Map((Object.entries(letters) as [Word, string][]).map(([word, letter]) => [letter, word]));
}
