import type { Queue } from '@retry/worker';
import type { ConnectOptions } from './connect/connect-options.ts';
import { withQueueInSteps } from './connect/with-queue.ts';
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
  const reportOf = (answers: readonly (Answer | undefined)[]): Report => ({
    json: { [key]: answers.flatMap((answer, index) => (answer ? [{ id: ids[index], answer }] : [])) },
    text: ({ paint }) =>
      ids
        .map((id, index) => {
          const answer = answers[index];
          const { text, isDone } = answer === undefined ? UNKNOWN : meanings[answer];
          return `${printable(id)}  ${paint(isDone ? 'good' : 'bad', text)}`;
        })
        .join('\n'),
    exitCode: answers.every((answer) => answer && meanings[answer].isDone) ? EXIT.fine : EXIT.found,
  });
  return withQueueInSteps(input, async ({ queue }, note) => {
    const noteSome: NoteSome<Answer> = (answers) => note(reportOf(answers));
    return reportOf(await askEach(ids, (id) => change(queue, id), noteSome));
  });
}

const UNKNOWN: Meaning = { text: 'no answer: whether this was done is not known', isDone: false };

/** Takes the answers, one a target; `undefined` where the call failed. */
type NoteSome<Answer> = (answers: readonly (Answer | undefined)[]) => void;

/**
 * Asks for each target by itself. Where some calls fail, the answers of the others are noted, and the first failure is thrown.
 *
 * @typeParam Target - what is asked for: an id, a lane
 */
export async function askEach<Target, Answer>(
  targets: readonly Target[],
  ask: (target: Target) => Promise<Answer>,
  noteSome: NoteSome<Answer>,
): Promise<readonly Answer[]> {
  const settled = await Promise.allSettled(targets.map(ask));
  const failed = settled.find((each) => each.status === 'rejected');
  const answers = settled.map((each) => (each.status === 'fulfilled' ? each.value : undefined));
  if (failed === undefined) return answers as readonly Answer[]; // none has failed
  if (settled.some(({ status }) => status === 'fulfilled')) noteSome(answers);
  throw failed.reason;
}
