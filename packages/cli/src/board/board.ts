import type { Rights } from '@retry/board';
import type { ConnectOptions } from '../connect/connect-options.ts';
import { loadPackage } from '../connect/load-package.ts';
import { withQueue } from '../connect/with-queue.ts';
import { userOf } from '../lanes/hold.ts';
import type { Input, Report } from '../report.ts';
import { watchSignals } from '../run/signals.ts';
import { createWarnings } from '../terminal/create-warnings.ts';
import { createScreen } from '../terminal/screen.ts';
import { writeJson } from '../terminal/write-json.ts';
import { openBrowser } from './open-browser.ts';
import { serve } from './serve.ts';

/** The options of `retry board`. */
export interface BoardCommandOptions extends ConnectOptions {
  readonly json?: boolean;
  readonly color: boolean;
  readonly readOnly?: boolean;
  readonly open?: boolean;
  /** Absent: a free one. */
  readonly port?: number;
  readonly by?: string;
}

/** Serves the board of the queue on the loopback until a signal ends it. @throws {CliError} `NO_PACKAGE`, `CANNOT_LISTEN` */
export async function boardAction(input: Input<BoardCommandOptions>): Promise<Report> {
  const { options, environment } = input;
  const { createBoard, onThisMachine, toNodeListener } = await loadPackage<typeof import('@retry/board')>(
    '@retry/board',
    environment.cwd,
  );
  const { by = userOf(environment) } = options;
  const rights = options.readOnly === true ? { read: true } : EVERY_RIGHT;
  await withQueue(input, async ({ broker, shown }) => {
    const warnings = createWarnings(environment);
    const board = createBoard({
      ...{ broker, tasks: environment.tasks, access: onThisMachine({ ...rights, by }) },
      onError: warnings.warn,
    });
    const server = await serve(toNodeListener(board), options.port);
    const ended = untilSignal();
    announce(server.url, shown, input);
    if (options.open === true) openBrowser(server.url, environment);
    await ended;
    // What a page still asked for is not answered any more, and no fault.
    warnings.end();
    board.close();
    await server.close();
  });
  return { json: undefined, text: () => '' };
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
  environment.stdout.write(`${options.json === true ? writeJson({ url, readOnly }) : text()}\n`);

  function text(): string {
    const { paint } = createScreen(environment.stdout, environment.env, options);
    const may = readOnly ? 'Visitors may only read.' : 'Visitors of this machine may change the queue.';
    return `The board of ${shown} is at ${paint('strong', url)}\n${may} Ctrl-C ends it.`;
  }
}

async function untilSignal(): Promise<void> {
  const signals = watchSignals();
  await new Promise<void>((resolve) => signals.each(() => resolve()));
  signals.close();
}
