import { ANSWER_LETTERS } from '@retry/core/broker/kit';

type CommonLetters = Omit<typeof ANSWER_LETTERS, 'redrive'>;

/** The letters of core's kit, and those of answers that only our own code reads. */
export interface Answers extends CommonLetters {
  readonly cancelRequest: Readonly<Record<'requested' | 'none', string>>;
  /** The other answers are decided before the script runs. */
  readonly redrive: Readonly<Record<'redriven' | 'changed', string>>;
}

/** The letter of each word; a script answers with one letter an item. */
export const ANSWERS: Answers = {
  ...ANSWER_LETTERS,
  cancelRequest: { requested: 'y', none: 'n' },
  redrive: { redriven: ANSWER_LETTERS.redrive.redriven, changed: 'x' },
};

/** Returns the answers of a verb that a script replied, one letter each. */
export function readAnswers<Verb extends keyof Answers>(
  verb: Verb,
  letters: unknown,
): readonly (keyof Answers[Verb])[] {
  const words = WORDS[verb];
  const text = String(letters);
  const answers: (keyof Answers[Verb])[] = [];
  // Not Array.from, which takes ten times as long for the one letter of most submits.
  for (let index = 0; index < text.length; index += 1)
    answers.push(words[text.charAt(index)] as keyof Answers[Verb]); // the scripts answer with these letters only
  return answers;
}

const WORDS = Object.fromEntries(
  Object.entries(ANSWERS).map(([verb, letters]) => [
    verb,
    Object.fromEntries(Object.entries(letters).map(([word, letter]) => [letter, word])),
  ]),
) as Readonly<Record<keyof Answers, Readonly<Record<string, string>>>>; // the same table, read backwards
