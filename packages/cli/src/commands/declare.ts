import type { Command } from 'commander';
import { Option } from 'commander';
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
    await readDurations(command);
    const action = await load();
    const args = command.processedArgs.flat().filter((arg): arg is string => typeof arg === 'string');
    const options = command.opts<Options & Mode>();
    finish(await action({ args, options, environment }), options);
  });
}

/** Options whose value is a duration. */
const DURATIONS = new WeakSet<Option>();

/** Returns an option whose value becomes milliseconds. @param fallback - its default, in milliseconds */
export function durationOption(flags: string, summary: string, fallback?: number): Option {
  const option = new Option(`${flags} <duration>`, summary);
  DURATIONS.add(option);
  return fallback === undefined ? option : option.default(fallback, formatSeconds(fallback));
}

function formatSeconds(ms: number): string {
  return `${ms / 1_000}s`;
}

/** Replaces the texts of durations by milliseconds. After parsing, because `--help` must not wait for core to load. */
async function readDurations(command: Command): Promise<void> {
  const given = command.options.filter(
    (option) => DURATIONS.has(option) && typeof command.getOptionValue(option.attributeName()) === 'string',
  );
  if (given.length === 0) return;
  const { durationMs } = await import('@retry/core/fields');
  for (const option of given) {
    const text = String(command.getOptionValue(option.attributeName()));
    // 0 needs no unit; of other numbers `timeout` and `curl` make seconds, and policies milliseconds.
    const ms = durationMs(text === '0' ? 0 : text);
    if (ms === undefined || ms === Infinity) {
      const cure = /^\d+(\.\d+)?$/.test(text)
        ? `Write its unit: ${text}s or ${text}ms.`
        : 'Write 500ms, 2s, 5m or 1h.';
      command.error(`error: option '${option.flags}' argument '${text}' is invalid. ${cure}`);
    }
    command.setOptionValue(option.attributeName(), ms);
  }
}
