import { Argument } from 'commander';
import type { Shell } from '../completion/completion-report.ts';
import { addCommand, type Frame } from './declare.ts';

/** Adds the command that prints what a shell needs to complete arguments. */
export function declareCompletion(frame: Frame): void {
  const command = addCommand(frame, {
    name: 'completion',
    summary: 'print a script by which a shell completes arguments',
    examples: [
      'source <(retry completion bash)        in ~/.bashrc',
      'source <(retry completion zsh)         in ~/.zshrc, after compinit',
      'retry completion fish | source         in config.fish',
    ],
  }).addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']));
  command.action(async (shell: Shell) => {
    const { completionReport } = await import('../completion/completion-report.ts');
    frame.finish(completionReport(shell, frame.program), command.opts());
  });
}
