import { formatDuration } from '@retry/core';
import type { SchedulePage, ScheduleView } from '@retry/worker';
import type { ConnectOptions } from '../connect/connect-options.ts';
import { withQueue } from '../connect/with-queue.ts';
import type { Input, Report } from '../report.ts';
import { instantText } from '../terminal/age.ts';
import { instantsAsText } from '../terminal/instants-as-text.ts';
import { printable } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';
import { type Cell, type Column, renderTable } from '../terminal/table.ts';

/** The options of `retry schedules ls`. */
interface SchedulesOptions extends ConnectOptions {
  readonly limit: number;
  readonly after?: string;
}

/** Lists schedules, those that fire next first. */
export async function listAction(input: Input<SchedulesOptions>): Promise<Report> {
  const { limit, after } = input.options;
  const page = await withQueue(input, ({ queue }) => queue.schedules({ limit, after }));
  return { json: instantsAsText(page), text: (screen) => pageText(page, screen) };
}

function pageText({ schedules, unreadable = [], next }: SchedulePage, screen: Screen): string {
  const table = schedules.length === 0 ? 'There are no schedules.' : scheduleTable(schedules, screen);
  const more = next === undefined ? [] : ['', `There may be more. --after ${next}`];
  const others = unreadable.map(
    (id) => `${printable(id)} was written by another version, and cannot be read.`,
  );
  return [table, ...(others.length > 0 ? ['', ...others] : []), ...more].join('\n');
}

const COLUMNS: readonly Column[] = [
  { title: 'schedule' },
  { title: 'task' },
  { title: 'next' },
  { title: 'last' },
  { title: 'when' },
];

function scheduleTable(schedules: readonly ScheduleView[], screen: Screen): string {
  const rows = schedules.map((schedule): readonly Cell[] => [
    printable(schedule.id),
    printable(`${schedule.task}@${schedule.version}`),
    schedule.nextAt === undefined ? { text: 'never', style: 'quiet' } : instantText(schedule.nextAt),
    instantText(schedule.lastAt),
    printable(whenText(schedule)),
  ]);
  return renderTable(COLUMNS, rows, screen);
}

/** Returns when a schedule fires: `30 2 * * * Europe/Berlin`, `every 90m`. */
function whenText({ cron, timeZone, everyMs = 0 }: ScheduleView): string {
  return cron === undefined ? `every ${formatDuration(everyMs)}` : `${cron} ${timeZone}`;
}
