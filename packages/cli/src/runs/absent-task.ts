import { keyMeantBy } from '@retry/core/fields';
import type { Connected } from '../connect/with-queue.ts';
import type { Report } from '../report.ts';
import { printable } from '../terminal/printable.ts';
import { wrap } from '../terminal/screen.ts';
import { taskFilter } from './task-filter.ts';

/** What a command was to find, and whether it found nothing. */
interface Found {
  /** The option `--task`: `send-email`, or `send-email@2`. */
  readonly task: string | undefined;
  readonly isEmpty: boolean;
}

/** How many tasks a note names. */
const MAX_NAMES = 20;

/**
 * Returns the note of a report that found nothing of a task which the queue does not know: its name may be wrong. No error, because a task
 * may be new, or all its runs forgotten.
 */
export async function noteAbsentTask(
  { queue, broker: { figures } }: Connected,
  { task, isEmpty }: Found,
): Promise<Pick<Report, 'notes'>> {
  if (!isEmpty || task === undefined || figures === undefined) return {};
  const { lanes } = (await figures({ lanes: {} })).lanes;
  const names = new Set(
    lanes.map(({ lane }) => (task.includes('@') ? lane : (taskFilter(lane).task ?? lane))),
  );
  if (names.has(task)) return {};
  const { groups } = await queue.deadLetters.groups({ ...taskFilter(task), limit: 1 });
  return groups.length > 0 ? {} : { notes: ({ width }) => wrap(noteText(task, [...names]), width) };
}

function noteText(task: string, names: readonly string[]): string {
  const meant = keyMeantBy(task, names);
  const all = names.slice(0, MAX_NAMES).map(printable).join(', ');
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return [
    `The queue has no runs that wait, no dead letters and no workers of the task ${printable(task)}.`,
    ...(meant === undefined ? [] : [`Did you mean ${printable(meant)}?`]),
    names.length === 0 ? 'It has none of any task.' : `It has ${all}${more}.`,
  ].join(' ');
}
