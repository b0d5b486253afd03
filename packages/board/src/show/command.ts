/** Returns a command for a terminal: `retry dlq redrive --group 3f2a`. Words of the caller's are quoted for a shell. */
export function commandOf(
  words: readonly string[],
  options: Readonly<Record<string, string | undefined>>,
): string {
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, quoted(value)],
  );
  return ['retry', ...words.map(quoted), ...given].join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
