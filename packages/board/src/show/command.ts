import { shellOption, shellWord } from '@retry/core/broker/kit';

/**
 * Returns a command for a terminal: `retry dlq redrive --group 3f2a`. Words of the caller's are quoted for a shell. From the first word
 * on that begins as an option does they come last, after `--`: `retry dlq redrive --state failed -- -x@1`.
 */
export function commandOf(
  words: readonly string[],
  options: Readonly<Record<string, string | undefined>>,
): string {
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [shellOption(name, value)],
  );
  const dashed = words.findIndex((word) => word.startsWith('-'));
  const [first, last] =
    dashed === -1 ? [words, []] : [words.slice(0, dashed), ['--', ...words.slice(dashed)]];
  return ['retry', ...first.map(shellWord), ...given, ...last.map(shellWord)].join(' ');
}
