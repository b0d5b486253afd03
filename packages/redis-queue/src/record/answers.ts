import { ANSWER_LETTERS } from '@retry/core/broker/kit';
import { changedReply } from '../errors.ts';

type Answers = typeof ANSWER_LETTERS;

/**
 * Returns the answers of a verb that a script replied, one letter each.
 *
 * @throws {RedisBrokerError} `CLIENT_CONVERTS_REPLIES` for a reply that no script sends
 */
export function readAnswers<Verb extends keyof Answers>(
  verb: Verb,
  letters: unknown,
): readonly (keyof Answers[Verb])[] {
  const words = WORDS[verb];
  const text = String(letters);
  const answers: (keyof Answers[Verb])[] = [];
  // Not Array.from, which takes ten times as long for the one letter of most submits.
  for (let index = 0; index < text.length; index += 1) {
    const word = words[text.charAt(index)];
    if (word === undefined) throw changedReply(letters);
    answers.push(word as keyof Answers[Verb]); // from the table of this verb
  }
  return answers;
}

const WORDS = Object.fromEntries(
  Object.entries(ANSWER_LETTERS).map(([verb, letters]) => [
    verb,
    Object.fromEntries(Object.entries(letters).map(([word, letter]) => [letter, word])),
  ]),
) as Readonly<Record<keyof Answers, Readonly<Record<string, string>>>>; // the same table, read backwards
