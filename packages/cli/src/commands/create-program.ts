import { Command } from 'commander';
import type { CliEnvironment } from '../environment.ts';
import { createScreen } from '../terminal/screen.ts';
import { VERSION } from '../version.ts';
import { declareCompletion } from './completion.ts';
import { declareDeadLetters } from './dead-letters.ts';
import type { Finish, Mode } from './declare.ts';
import { declareOperate } from './operate.ts';
import { declarePolicyCommands } from './policies.ts';
import { declareRun } from './run.ts';
import { declareRuns } from './runs.ts';
import { declareSimulate } from './simulate.ts';

const DESCRIPTION = 'Preview, check and simulate retry policies; run any command under one; operate a queue.';

/**
 * Creates the parser of the program. A command's code is loaded when that command is asked for, so that `--help` is quick.
 *
 * @param finish - receives what the command found
 */
export function createProgram(
  environment: CliEnvironment,
  finish: Finish,
  { color }: Pick<Mode, 'color'> = { color: true },
): Command {
  const { stdout, stderr, env } = environment;
  const screen = createScreen(stdout, env, { color });
  const program = new Command('retry')
    .description(DESCRIPTION)
    .version(VERSION, '--version', 'print the version')
    .helpOption('--help', 'print this')
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      // Printed by `runCli`, like every other error.
      outputError: () => {},
      getOutHelpWidth: () => screen.width,
      getOutHasColors: () => true,
    })
    .configureHelp({ styleTitle: (title) => screen.paint('strong', title) });
  const frame = { program, environment, finish };
  declarePolicyCommands(frame);
  declareSimulate(frame);
  declareRun(frame);
  declareRuns(frame);
  declareDeadLetters(frame);
  declareOperate(frame);
  declareCompletion(frame);
  return program;
}
