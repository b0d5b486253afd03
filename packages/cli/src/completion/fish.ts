import type { CompletedCommand } from './completed-command.ts';

/** Returns a script for fish. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const first = commands.map(
    ({ name, summary }) => `complete -c retry -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`,
  );
  return ['# fish completion of retry', ...first, ...commands.flatMap((command) => linesOf(command))].join(
    '\n',
  );
}

function linesOf(
  { name, options, choices, commands, takesFiles }: CompletedCommand,
  group = '',
): readonly string[] {
  const seen = `${group}__fish_seen_subcommand_from ${name}`;
  if (commands.length > 0) {
    const none = `${seen}; and not __fish_seen_subcommand_from ${choices.join(' ')}`;
    return [
      ...commands.map((own) => `complete -c retry -n '${none}' -f -a ${own.name} -d ${quote(own.summary)}`),
      ...commands.flatMap((own) => linesOf(own, `${seen}; and `)),
    ];
  }
  const given = `complete -c retry -n '${seen}'`;
  const flags = options.map(
    ({ flag, summary, takesValue }) =>
      `${given} -l ${flag.slice(2)}${takesValue ? ' -r' : ''} -d ${quote(summary)}`,
  );
  const words = choices.length > 0 ? [`${given} -f -a ${quote(choices.join(' '))}`] : [];
  return [...flags, ...words, ...(takesFiles || choices.length > 0 ? [] : [`${given} -f`])];
}

/** Returns a word in single quotes. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
