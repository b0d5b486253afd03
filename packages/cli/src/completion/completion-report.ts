import type { Command } from 'commander';
import type { Report } from '../report.ts';
import { bashScript } from './bash.ts';
import type { CompletedCommand } from './completed-command.ts';
import { fishScript } from './fish.ts';
import { zshScript } from './zsh.ts';

/** A shell whose script can be printed. */
export type Shell = 'bash' | 'zsh' | 'fish';

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Returns the script of a shell, made from the commands that the program has. */
export function completionReport(shell: Shell, program: Command): Report {
  const script = SCRIPTS[shell](program.commands.map(completedOf));
  return { json: { shell, script }, text: () => script };
}

/** Arguments that are the paths of files, or may be. */
const FILES: readonly string[] = ['policy', 'policies', 'before', 'after', 'options', 'command'];

function completedOf(command: Command): CompletedCommand {
  const [first] = command.registeredArguments;
  return {
    name: command.name(),
    summary: command.description(),
    options: [
      ...command.options.map(({ long, description, required, optional }) => ({
        flag: long ?? '',
        summary: description,
        takesValue: required || optional,
      })),
      { flag: '--help', summary: 'print help', takesValue: false },
    ],
    choices:
      command.commands.length > 0 ? command.commands.map((own) => own.name()) : (first?.argChoices ?? []),
    commands: command.commands.map(completedOf),
    takesFiles: command.registeredArguments.some((argument) => FILES.includes(argument.name())),
  };
}
