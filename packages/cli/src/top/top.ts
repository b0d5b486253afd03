import type { ConnectOptions } from '../connect/connect-options.ts';
import { withQueue } from '../connect/with-queue.ts';
import type { CliEnvironment } from '../environment.ts';
import type { Input, Report } from '../report.ts';
import { instantsAsText } from '../terminal/instants-as-text.ts';
import { createScreen } from '../terminal/screen.ts';
import type { TopFigures } from './frame.ts';
import { frameText, readFigures } from './frame.ts';
import { openFullScreen } from './full-screen.ts';

/** The options of `retry top`. */
interface TopOptions extends ConnectOptions {
  readonly color: boolean;
  /** Milliseconds between two frames. */
  readonly every: number;
}

/** Lines of a frame that goes to no terminal. */
const ROWS = 1_000;

/** Shows the queue until it is ended by a key; without a terminal, and with `--json`, once. */
export async function topAction(input: Input<TopOptions>): Promise<Report> {
  const { options, environment } = input;
  const screen = options.json === true ? undefined : openFullScreen(environment);
  if (screen === undefined) {
    const figures = await withQueue(input, readFigures);
    return { json: instantsAsText(figures), text: (given) => frameText(figures, given, ROWS) };
  }
  try {
    const drawing = withQueue(input, async (connected) => {
      while (!screen.hasEnded) {
        screen.draw(frameOf(await readFigures(connected), environment, options));
        await screen.wait(options.every);
      }
    });
    await screen.unlessEnded(drawing);
  } finally {
    screen.close();
  }
  return { json: undefined, text: () => '' };
}

function frameOf(figures: TopFigures, { stdout, env }: CliEnvironment, { color }: TopOptions): string {
  const screen = createScreen(stdout, env, { color });
  const help = screen.paint('quiet', 'q ends it');
  return `${frameText(figures, screen, (stdout.rows ?? ROWS) - 2)}\n\n${help}`;
}
