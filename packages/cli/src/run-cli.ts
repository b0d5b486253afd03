import { CommanderError } from 'commander';
import { createProgram } from './commands/create-program.ts';
import type { Mode } from './commands/declare.ts';
import type { CliEnvironment, OutputStream } from './environment.ts';
import { completeEnvironment } from './environment.ts';
import { EXIT } from './exit.ts';
import type { Report } from './report.ts';
import { printableOutput } from './terminal/printable.ts';
import { createScreen } from './terminal/screen.ts';
import { writeJson } from './terminal/write-json.ts';

/** How the program ends. */
export interface CliResult {
  /** 0 fine, 1 something was found, 2 wrong usage, 3 the server was not reached, 70 a bug of the program; `retry run` passes on others. */
  readonly exitCode: number;
  /** The signal that ended the command of `retry run`, by which the process should end as well. */
  readonly signal?: string;
}

/**
 * Runs the program `retry`. Never throws, and never ends the process.
 *
 * @param args - the arguments after the name of the program: `['preview', 'policy.json']`
 * @param given - parts of the environment that are not those of this process
 */
export async function runCli(
  args: readonly string[],
  given: Partial<CliEnvironment> = {},
): Promise<CliResult> {
  const environment = completeEnvironment(given);
  const own = ownArguments(args);
  const mode = { json: own.includes('--json'), color: !own.includes('--no-color') };
  try {
    const found = await perform(args, environment, mode);
    if (found === undefined) return { exitCode: EXIT.fine };
    const result = await show(found, environment);
    if (found.report.failure !== undefined) throw found.report.failure;
    return result;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return { exitCode: EXIT.fine };
    // A group without a command: its help was printed.
    if (error instanceof CommanderError && error.code === 'commander.help') return { exitCode: EXIT.usage };
    // Loaded when it is needed: `--help` has to be quick.
    const { describeFailure } = await import('./failure.ts');
    const { commandsMeant } = await import('./commands/commands-meant.ts');
    const failure = describeFailure(error, {
      args,
      env: environment.env,
      verbose: own.includes('--verbose'),
      commandsMeant: () =>
        commandsMeant(
          createProgram(environment, () => {}),
          own,
        ),
    });
    const { paint } = createScreen(environment.stderr, environment.env, mode);
    const text = mode.json ? writeJson({ error: failure.json }) : `${paint('bad', 'retry:')} ${failure.text}`;
    await write(environment.stderr, text);
    return { exitCode: failure.exitCode };
  }
}

/** Returns the arguments up to `--`: those after it belong to the command of `retry run`. */
function ownArguments(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end === -1 ? args : args.slice(0, end);
}

/** Returns the report of the command that was asked for; `undefined` if help or the version was printed. */
async function perform(
  args: readonly string[],
  environment: CliEnvironment,
  mode: Mode,
): Promise<Found | undefined> {
  let found: Found | undefined;
  const program = createProgram(
    environment,
    (report, given) => {
      found = { report, mode: given };
    },
    mode,
  );
  // Who gives no argument wants to know what there is.
  await program.parseAsync(args.length === 0 ? ['--help'] : [...args], { from: 'user' });
  return found;
}

interface Found {
  readonly report: Report;
  readonly mode: Mode;
}

async function show({ report, mode }: Found, environment: CliEnvironment): Promise<CliResult> {
  const { json, color } = mode;
  const { stdout, stderr, env } = environment;
  if (json && report.json !== undefined) {
    await write(report.jsonTo === 'stderr' ? stderr : stdout, writeJson(report.json));
  } else if (!json) {
    await write(stdout, report.text(createScreen(stdout, env, { color })));
    await write(stderr, report.notes?.(createScreen(stderr, env, { color })) ?? '');
  }
  const { exitCode = EXIT.fine, signal } = report;
  return signal === undefined ? { exitCode } : { exitCode, signal };
}

/** Writes a text and a line break, and waits until the stream took it; a reader that has gone is no error. */
async function write(stream: OutputStream, text: string): Promise<void> {
  if (text === '') return;
  await new Promise<void>((resolve) => stream.write(`${printableOutput(text)}\n`, () => resolve()));
}
