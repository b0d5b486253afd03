import type { BeatAnswer, CancelAnswer, DiscardAnswer, SettleAnswer, SubmitAnswer } from '@retry/core/broker';

/** The words that the scripts answer with. */
export interface Answers {
  readonly submit: Readonly<Record<SubmitAnswer, string>>;
  readonly settle: Readonly<Record<SettleAnswer, string>>;
  readonly heartbeat: Readonly<Record<BeatAnswer, string>>;
  readonly cancelRequest: Readonly<Record<'requested' | 'none', string>>;
  readonly cancel: Readonly<Record<CancelAnswer, string>>;
  readonly redrive: Readonly<Record<'redriven' | 'changed', string>>;
  readonly discard: Readonly<Record<DiscardAnswer, string>>;
}

/** The letter of each word; a script answers with one letter an item. */
export const ANSWERS: Answers = {
  submit: { created: 'c', exists: 'e' },
  settle: { ok: 'o', already: 'a', fenced: 'f', gone: 'g' },
  heartbeat: { ok: 'o', cancel: 'c', fenced: 'f', gone: 'g' },
  cancelRequest: { requested: 'y', none: 'n' },
  cancel: { cancelled: 'c', requested: 'r', ended: 'e', gone: 'g' },
  redrive: { redriven: 'r', changed: 'x' },
  discard: { discarded: 'd', refused: 'r', gone: 'g' },
};

/** The answers of a verb that a script said, one letter each. */
export function readAnswers<Verb extends keyof Answers>(
  verb: Verb,
  letters: unknown,
): readonly (keyof Answers[Verb])[] {
  const words = WORDS[verb];
  return Array.from(String(letters), (letter) => words[letter] as keyof Answers[Verb]); // the scripts answer with these letters only
}

const WORDS = Object.fromEntries(
  Object.entries(ANSWERS).map(([verb, letters]) => [
    verb,
    Object.fromEntries(Object.entries(letters).map(([word, letter]) => [letter, word])),
  ]),
) as Readonly<Record<keyof Answers, Readonly<Record<string, string>>>>; // the same table, read backwards
