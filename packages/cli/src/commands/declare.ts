import type { Command } from 'commander';
import type { CliEnvironment } from '../environment.ts';
import type { Action, Report } from '../report.ts';

/** How the report of a command is to be printed. */
export interface Mode {
  readonly json?: boolean;
  readonly color: boolean;
}

/** Receives what a command found. */
export type Finish = (report: Report, mode: Mode) => void;

/** What declaring a command needs. */
export interface Frame {
  readonly program: Command;
  readonly environment: CliEnvironment;
  /** Receives what the command found. */
  readonly finish: Finish;
}

/** A command, before its arguments and options. */
export interface CommandTexts {
  readonly name: string;
  readonly summary: string;
  /** Lines that `--help` prints at its end: examples. */
  readonly examples: readonly string[];
}

/** Adds a command with the options that every command has. */
export function addCommand({ program }: Pick<Frame, 'program'>, texts: CommandTexts): Command {
  return program
    .command(texts.name)
    .description(texts.summary)
    .helpOption('--help', 'print this')
    .option('--json', 'print JSON, as output.schema.json of the package describes it')
    .option('--no-color', 'print no colours')
    .option('--verbose', 'print the stack of an error')
    .addHelpText('after', ['', 'Examples:', ...texts.examples.map((line) => `  ${line}`)].join('\n'));
}

/**
 * Lets a command be carried out by an action that is loaded when it is asked for.
 *
 * @typeParam Options - the options as the command declares them
 */
export function perform<Options extends object>(
  { environment, finish }: Frame,
  command: Command,
  load: () => Promise<Action<Options>>,
): void {
  command.action(async () => {
    const action = await load();
    const args = command.processedArgs.flat().filter((arg): arg is string => typeof arg === 'string');
    const options = command.opts<Options & Mode>();
    finish(await action({ args, options, environment }), options);
  });
}
