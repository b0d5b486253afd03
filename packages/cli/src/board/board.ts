import type { Rights } from '@retry/board';
import type { ConnectOptions } from '../connect/connect-options.ts';
import { loadPackage } from '../connect/load-package.ts';
import type { Target } from '../connect/target.ts';
import { withQueue } from '../connect/with-queue.ts';
import { userOf } from '../environment.ts';
import { CliError } from '../errors.ts';
import type { Input, Report } from '../report.ts';
import { watchSignals } from '../signals.ts';
import { createWarnings } from '../terminal/create-warnings.ts';
import { printableOutput } from '../terminal/printable.ts';
import { createScreen } from '../terminal/screen.ts';
import { writeJson } from '../terminal/write-json.ts';
import { openBrowser } from './open-browser.ts';
import { createToken, serve } from './serve.ts';

/** The options of `retry board`. */
interface BoardCommandOptions extends ConnectOptions {
  readonly color: boolean;
  readonly readOnly?: boolean;
  readonly open?: boolean;
  /** `false`: everyone who reaches the address may visit. */
  readonly token: boolean;
  /** Names, besides those of this machine, that requests may be for where there is no token. */
  readonly allowHost?: readonly string[];
  /** Absent: a free one. */
  readonly port?: number;
  readonly by?: string;
}

/**
 * Serves the board of the queue on the loopback until a signal ends it. Every process and user of the machine reaches that, and so does
 * all that a proxy lets in: visitors need the token of the printed address.
 *
 * @throws {CliError} `NO_PACKAGE`, `CANNOT_LISTEN`, `WRONG_USAGE`
 */
export async function boardAction(input: Input<BoardCommandOptions>): Promise<Report> {
  const { options, environment } = input;
  if (options.token && options.allowHost !== undefined) {
    const cure = 'Leave it out: who has the token may visit by any name.';
    throw new CliError('WRONG_USAGE', `--allow-host belongs to --no-token. ${cure}`);
  }
  const { createBoard, toNodeListener } = await loadPackage<typeof import('@retry/board')>(
    '@retry/board',
    environment.cwd,
  );
  const { by = userOf(environment) } = options;
  const granted = { ...(options.readOnly === true ? { read: true } : EVERY_RIGHT), by };
  const token = options.token ? createToken() : undefined;
  await withQueue(input, async ({ broker, shown, target }) => {
    const warnings = createWarnings(environment, options);
    const board = createBoard({
      broker,
      tasks: environment.tasks,
      token,
      name: nameOf(shown, target),
      access: () => granted,
      onError: warnings.warn,
    });
    const { port, allowHost = [] } = options;
    const server = await serve(toNodeListener(board), { port, token, hosts: allowHost });
    const ended = untilSignal();
    announce(server.url, shown, input);
    if (options.open === true) openBrowser(server, environment);
    await ended;
    // What a page still asked for is not answered any more, and no fault.
    warnings.end();
    board.close();
    await server.close();
  });
  return { json: undefined, text: () => '' };
}

/** Returns the server, and the prefix or schema where it is not the default. At most 512 bytes. */
function nameOf(shown: string, target: Target | undefined): string {
  const { prefix, schema } = target ?? {};
  const name = [shown, prefix && `prefix ${prefix}`, schema && `schema ${schema}`].filter(Boolean).join(', ');
  return Buffer.from(name).subarray(0, 509).toString();
}

const EVERY_RIGHT: Rights = {
  read: true,
  redrive: true,
  discard: true,
  cancel: true,
  hold: true,
  edit: true,
  unmask: true,
};

function announce(url: string, shown: string, { options, environment }: Input<BoardCommandOptions>): void {
  const readOnly = options.readOnly === true;
  environment.stdout.write(
    `${printableOutput(options.json === true ? writeJson({ url, readOnly }) : text())}\n`,
  );

  function text(): string {
    const { paint } = createScreen(environment.stdout, environment.env, options);
    const may = readOnly ? 'read' : 'change the queue';
    const visitors = options.token
      ? `Who has this address may ${may}: do not pass it on.`
      : `Without a token, every user of this machine may ${may}, and so may everyone whom a proxy or a tunnel lets in.`;
    return `The board of ${shown} is at ${paint('strong', url)}\n${visitors} Ctrl-C ends it.`;
  }
}

async function untilSignal(): Promise<void> {
  const signals = watchSignals();
  await new Promise<void>((resolve) => signals.each(() => resolve()));
  signals.close();
}
