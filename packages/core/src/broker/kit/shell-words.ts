/** Returns a word of a command as a shell of Unix reads it: one word, whatever is in it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Returns an option of a command for a shell: `--schema jobs`. A value that looks like an option follows its name by `=`. */
export function shellOption(name: string, value: string): string {
  return `--${name}${value.startsWith('-') ? '=' : ' '}${shellWord(value)}`;
}
