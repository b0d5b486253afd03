/** Longer payloads and results, in characters, are kept apart, so that scripts read only those that they answer. */
const LONGEST_INLINE = 4_096;

/** The mark in a body or a record of text that is kept apart. */
export const APART = '\u0001';

/** Whether a payload or a result is kept apart: when it is long, or could be taken for the mark. */
export function isKeptApart(text: string): boolean {
  return text.length > LONGEST_INLINE || text.includes(APART);
}
