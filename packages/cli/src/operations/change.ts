import type { Queue } from '@retry/worker';
import type { ConnectOptions } from '../connect/connect-options.ts';
import { withQueue } from '../connect/with-queue.ts';
import { EXIT } from '../exit.ts';
import { namedIds } from '../named.ts';
import type { Action, Input, Report } from '../report.ts';
import { printable } from '../terminal/printable.ts';

/** Lets no further run be taken. */
export const pauseAction: Action<ConnectOptions> = (input) => change(input, 'pause', 'paused');

/** Carries on what was paused: by workers, not by this process. */
export const resumeAction: Action<ConnectOptions> = (input) => change(input, 'resume', 'resumed');

/** Ends operations as they are. */
export const cancelAction: Action<ConnectOptions> = (input) => change(input, 'cancel', 'cancelled');

/** Exit status 1 unless all were changed. */
async function change(
  input: Input<ConnectOptions>,
  verb: keyof Pick<Queue['operations'], 'pause' | 'resume' | 'cancel'>,
  done: string,
): Promise<Report> {
  const ids = namedIds(input.args);
  const operations = await withQueue(input, ({ queue }) =>
    Promise.all(ids.map(async (id) => ({ id, answer: await queue.operations[verb](id) }))),
  );
  const texts = { changed: done, refused: 'refused: it has ended', gone: 'there is no such operation' };
  return {
    json: { operations },
    text: ({ paint }) =>
      operations
        .map(({ id, answer }) => {
          const style = answer === 'changed' ? 'good' : 'bad';
          return `${printable(id)}  ${paint(style, texts[answer])}`;
        })
        .join('\n'),
    exitCode: operations.every(({ answer }) => answer === 'changed') ? EXIT.fine : EXIT.found,
  };
}
