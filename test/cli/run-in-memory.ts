import { Readable, Writable } from 'node:stream';
import { type CliEnvironment, type CliResult, runCli } from '@retry/cli';

/** What a run of the program printed, and how it ended. */
export interface Ran extends CliResult {
  readonly out: string;
  readonly err: string;
  /** Both, in the order of printing. */
  readonly all: string;
}

/** A run of the program without a process of its own. */
export interface RunOptions {
  readonly stdin?: string;
  /** @default false */
  readonly isStdinTerminal?: boolean;
  readonly env?: CliEnvironment['env'];
  readonly cwd?: string;
  readonly broker?: CliEnvironment['broker'];
  /** @default the first of January 2026 at noon */
  readonly now?: () => number;
  /** The columns of a terminal; absent: no terminal. */
  readonly columns?: number;
}

/** Runs the program in this process, on the first of January 2026 at noon. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { stdin = '', isStdinTerminal = false, env = {}, columns } = options;
  const all: Buffer[] = [];
  const [stdout, stderr] = [collector(columns, all), collector(columns, all)];
  const result = await runCli(args, {
    stdin: Object.assign(Readable.from([stdin]), { isTTY: isStdinTerminal }),
    stdout,
    stderr,
    env,
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    ...(options.broker !== undefined && { broker: options.broker }),
    now: options.now ?? (() => Date.UTC(2026, 0, 1, 12)),
    random: () => 0.5,
  });
  return { ...result, out: stdout.text(), err: stderr.text(), all: Buffer.concat(all).toString('utf8') };
}

function collector(columns: number | undefined, all: Buffer[]) {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      all.push(Buffer.from(chunk));
      done();
    },
  });
  return Object.assign(stream, {
    ...(columns !== undefined && { isTTY: true, columns }),
    text: () => Buffer.concat(chunks).toString('utf8'),
  });
}
