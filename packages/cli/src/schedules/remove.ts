import { changeEach } from '../change-each.ts';
import type { ConnectOptions } from '../connect/connect-options.ts';
import type { Action } from '../report.ts';

/** What a queue answers for one schedule. */
const SCHEDULES = {
  key: 'schedules',
  meanings: {
    removed: { text: 'removed', isDone: true },
    gone: { text: 'there is no such schedule', isDone: false },
  },
} as const;

/** Removes schedules; what they have submitted stays. Exit status 1 unless all were there. */
export const removeAction: Action<ConnectOptions> = (input) =>
  changeEach(input, { ...SCHEDULES, change: (queue, id) => queue.unschedule(id) });
