import type { CompletedCommand } from './completed-command.ts';

/** Returns a script for bash 3.2 or newer. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const cases = commands.map((command) => `    ${caseOf(command)} ;;`);
  return `# bash completion of retry
_retry() {
  local current="\${COMP_WORDS[COMP_CWORD]}" flags="" words="" files=0
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *)
      if [ "$COMP_CWORD" -eq 2 ] && [ -n "$words" ]; then
        COMPREPLY=($(compgen -W "$words" -- "$current"))
      elif [ "$files" -eq 1 ]; then
        COMPREPLY=($(compgen -f -- "$current"))
      fi ;;
  esac
}
complete -o filenames -F _retry retry`;
}

function caseOf({ name, options, choices, commands, takesFiles }: CompletedCommand): string {
  const words = `words="${choices.join(' ')}"`;
  if (commands.length > 0) {
    const cases = commands.map((command) => `${caseOf({ ...command, choices })} ;;`).join(' ');
    return `${name}) ${words}; case "\${COMP_WORDS[2]}" in ${cases} esac`;
  }
  const flags = options.map(({ flag }) => flag).join(' ');
  return `${name}) flags="${flags}" ${words} files=${takesFiles ? 1 : 0}`;
}
