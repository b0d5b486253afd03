import { printable } from './printable.ts';

/**
 * Returns a command about a foreign text (an id, a lane), to be copied: after `--` where the text begins as an option does.
 *
 * @param options - they come last otherwise
 */
export function commandOn(command: string, text: string, options = ''): string {
  const words = text.startsWith('-') ? [options, '--', shellWord(text)] : [shellWord(text), options];
  return [command, ...words].filter(Boolean).join(' ');
}

/**
 * Returns a foreign text (an id, a lane) as one word of a command that is printed to be copied: quoted where a shell would read more
 * than a word in it.
 */
export function shellWord(text: string): string {
  const shown = printable(text);
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`;
}
