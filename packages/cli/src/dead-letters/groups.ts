import type { LetterGroupPage } from '@retry/worker';
import type { ConnectOptions } from '../connect/connect-options.ts';
import { withQueue } from '../connect/with-queue.ts';
import type { Input, Report } from '../report.ts';
import { noteAbsentTask } from '../runs/absent-task.ts';
import { taskFilter } from '../runs/task-filter.ts';
import { wholeText } from '../terminal/counts.ts';
import { instantsAsText } from '../terminal/instants-as-text.ts';
import type { Screen } from '../terminal/screen.ts';
import { groupTable } from './group-table.ts';

/** The options of `retry dlq groups`. */
interface GroupsOptions extends ConnectOptions {
  readonly task?: string;
  readonly limit: number;
  readonly after?: string;
}

/** Lists the causes of dead letters, those with most of them first. */
export async function groupsAction(input: Input<GroupsOptions>): Promise<Report> {
  const { task, limit, after } = input.options;
  const { page, note } = await withQueue(input, async (connected) => {
    const read = await connected.queue.deadLetters.groups({ ...taskFilter(task), limit, after });
    return { page: read, note: await noteAbsentTask(connected, { task, isEmpty: read.groups.length === 0 }) };
  });
  const now = input.environment.now();
  return { json: instantsAsText(page), text: (screen) => groupsText(page, now, screen), ...note };
}

function groupsText({ groups, deadLetters, next }: LetterGroupPage, now: number, screen: Screen): string {
  if (groups.length === 0 && next === undefined) return 'There are no dead letters.';
  const more = next === undefined ? '' : ` There are more groups: --after ${next}`;
  return `${groupTable(groups, now, screen, 'wrap')}\n\n${wholeText(deadLetters)} dead letters in all.${more}`;
}
