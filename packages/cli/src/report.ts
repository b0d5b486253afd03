import type { CliEnvironment } from './environment.ts';
import type { Screen } from './terminal/screen.ts';

/** What a command found: as data, and as text for people. */
export interface Report {
  /** What `--json` prints; `output.schema.json` describes it. `undefined`: the command has printed it already. */
  readonly json: unknown;
  readonly text: (screen: Screen) => string;
  /** Printed on standard error, so that standard output can be sent to a file; not with `--json`. */
  readonly notes?: (screen: Screen) => string;
  /** @default 0 */
  readonly exitCode?: number;
  /** The signal that this process has to end by, because its command did. */
  readonly signal?: string;
  /** What ended the command when a part was done, which the rest of the report has: printed after it, as the error that it is. */
  readonly failure?: unknown;
  /** Where `--json` goes: standard output belongs to the command of `retry run`. @default 'stdout' */
  readonly jsonTo?: 'stdout' | 'stderr';
}

/** What a command gets: its arguments and options as commander read them. */
export interface Input<Options> {
  readonly args: readonly string[];
  readonly options: Options;
  readonly environment: CliEnvironment;
}

/** Carries out a command. */
export type Action<Options> = (input: Input<Options>) => Report | Promise<Report>;
