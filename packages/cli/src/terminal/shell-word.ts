import { printable } from './printable.ts';

/**
 * Returns a foreign text (an id, a lane) as one word of a command that is printed to be copied: quoted where a shell would read more
 * than a word in it.
 */
export function shellWord(text: string): string {
  const shown = printable(text);
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`;
}
