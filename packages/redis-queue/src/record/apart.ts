/** Longer payloads and results, in characters, are kept apart, so that no script reads one that is not asked for. */
const LONGEST_INLINE = 4_096;

/** Stands in a body or a record for text that is kept apart. */
export const APART = '\u0001';

/** Whether a payload or a result is kept apart: where it is long, or could be taken for the mark of one that is. */
export function isKeptApart(text: string): boolean {
  return text.length > LONGEST_INLINE || text.includes(APART);
}
