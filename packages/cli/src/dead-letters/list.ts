import { withQueue } from '../connect/with-queue.ts';
import type { Input, Report } from '../report.ts';
import { noteAbsentTask } from '../runs/absent-task.ts';
import { pageText } from '../runs/list.ts';
import { instantsAsText } from '../terminal/instants-as-text.ts';
import type { SelectionOptions } from './selection.ts';
import { readFilter } from './selection.ts';

/** The options of `retry dlq ls`. */
interface LettersOptions extends SelectionOptions {
  readonly limit: number;
  readonly after?: string;
}

/** Lists dead letters: runs that ended without completing, until they are redriven or discarded. */
export async function listAction(input: Input<LettersOptions>): Promise<Report> {
  const { options, environment } = input;
  const { limit, after } = options;
  const { page, note } = await withQueue(input, async (connected) => {
    const { queue } = connected;
    const filter = await readFilter(queue, options);
    const read = await queue.deadLetters.list({ ...filter, limit, after, payloads: 'omit' });
    const found = { task: options.task, isEmpty: read.runs.length === 0 };
    return { page: read, note: await noteAbsentTask(connected, found) };
  });
  return { json: instantsAsText(page), text: (screen) => pageText(page, environment.now(), screen), ...note };
}
