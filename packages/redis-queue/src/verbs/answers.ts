/** The words that the letters of a script's answer stand for, one letter each. */
export function readAnswers<Answer>(
  letters: unknown,
  words: Readonly<Record<string, Answer>>,
): readonly Answer[] {
  return Array.from(letters as string, (letter) => words[letter] as Answer); // the scripts answer with these letters only
}
