import type { Queue } from '@retry/worker';
import type { ConnectOptions } from './connect/connect-options.ts';
import { withQueue } from './connect/with-queue.ts';
import { EXIT } from './exit.ts';
import { namedIds } from './named.ts';
import type { Input, Report } from './report.ts';
import { printable } from './terminal/printable.ts';

/** What an answer of a queue means for people, and whether it means that what was asked for is done. */
interface Meaning {
  readonly text: string;
  readonly isDone: boolean;
}

/** What is changed, and how. */
interface Change<Answer extends string> {
  /** The key of the answers in the report: `runs`. */
  readonly key: string;
  readonly meanings: Readonly<Record<Answer, Meaning>>;
  readonly change: (queue: Queue, id: string) => Promise<Answer>;
}

/**
 * Changes what has the ids that were given, each by itself. Exit status 1 unless all were changed.
 *
 * @typeParam Answer - what the queue answers for one id
 * @throws {CliError} `WRONG_USAGE` for an id that nothing can have; nothing is changed then
 */
export async function changeEach<Answer extends string>(
  input: Input<ConnectOptions>,
  { key, meanings, change }: Change<Answer>,
): Promise<Report> {
  const ids = namedIds(input.args);
  const answers = await withQueue(input, ({ queue }) =>
    Promise.all(ids.map(async (id) => ({ id, answer: await change(queue, id) }))),
  );
  return {
    json: { [key]: answers },
    text: ({ paint }) =>
      answers
        .map(({ id, answer }) => {
          const { text, isDone } = meanings[answer];
          return `${printable(id)}  ${paint(isDone ? 'good' : 'bad', text)}`;
        })
        .join('\n'),
    exitCode: answers.every(({ answer }) => meanings[answer].isDone) ? EXIT.fine : EXIT.found,
  };
}
