import type { CompletedCommand } from './completed-command.ts';

/** Returns a script for zsh, to be sourced after `compinit`. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name, summary }) => `    ${quote(`${name}:${summary}`)}`);
  return `#compdef retry
_retry() {
  local -a commands
  commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  case "\${words[2]}" in
${commands.map(caseOf).join('\n')}
  esac
}
compdef _retry retry`;
}

function caseOf({ name, options, choices, commands, takesFiles }: CompletedCommand): string {
  // The first word that `_arguments` counts is the command itself.
  const first = choices.length > 0 ? [quote(`2:choice:(${choices.join(' ')})`)] : [];
  if (commands.length > 0) {
    const own = commands.map((command) => `  ${caseOf({ ...command, choices })}`);
    const other = `      *) _arguments ${[quote('1:command:'), ...first].join(' ')} ;;`;
    return [`    ${name}) case "\${words[3]}" in`, ...own, other, '      esac ;;'].join('\n');
  }
  const flags = options.map(({ flag, summary, takesValue }) =>
    quote(`${flag}[${summary.replace(/[[\]]/g, '')}]${takesValue ? ':value:' : ''}`),
  );
  const rest = takesFiles ? [quote('*:file:_files')] : [];
  return `    ${name}) _arguments ${[...flags, quote('1:command:'), ...first, ...rest].join(' ')} ;;`;
}

/** Returns a word in single quotes. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
