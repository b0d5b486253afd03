/** How many ids one note has: an id has at most 512 bytes, and its length takes four more. */
export const IDS_OF_A_NOTE = 125;

/** Returns the key of a note that has ids of an operation's filter. @param part - its number, from 0 */
export function idsKey(id: string, part: number): string {
  return `operation-ids/${id}/${part}`;
}

/** Returns the keys of all notes that have the ids of an operation's filter. */
export function idsKeys(id: string, count: number): readonly string[] {
  return Array.from({ length: Math.ceil(count / IDS_OF_A_NOTE) }, (_, part) => idsKey(id, part));
}

/** Returns the texts of the notes that have these ids, 125 in each. */
export function writeIds(ids: readonly string[]): readonly string[] {
  const texts: string[] = [];
  for (let from = 0; from < ids.length; from += IDS_OF_A_NOTE)
    texts.push(
      ids
        .slice(from, from + IDS_OF_A_NOTE)
        .map((id) => `${id.length}:${id}`)
        .join(''),
    );
  return texts;
}

/** Returns the ids of such a text. */
export function readIds(text: string): readonly string[] {
  const ids: string[] = [];
  for (let at = 0; at < text.length; ) {
    const colon = text.indexOf(':', at);
    const from = colon + 1;
    const end = from + Number(text.slice(at, colon));
    if (colon < 0 || !(end > from)) return ids; // written by another program
    ids.push(text.slice(from, end));
    at = end;
  }
  return ids;
}
