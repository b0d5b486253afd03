import { MAX_OPERATION_IDS } from '@retry/core/broker/kit';
import type { Fields, Report } from '@retry/core/fields';
import { integerFrom, MAX_ITEMS } from '@retry/core/fields';
import type { AnyTask } from '../../task/task.ts';
import { checkTask, isTask } from '../../task/task.ts';
import type { DiscardFilter, Selection } from '../operate/dead-letter-filter.ts';
import { DISCARD_KEYS, readChoice } from '../operate/dead-letter-filter.ts';

/** Selects the dead letters of a plan. One of `ids`, `task`, `errorName`, `olderThan`, `state` or `all: true` is required. */
export interface PlanFilter extends DiscardFilter {
  /** The first of them, 1 to 10 000. @default all */
  readonly limit?: number | undefined;
  /** Tasks whose policies the plan is to show, besides `task`. */
  readonly tasks?: readonly AnyTask[] | undefined;
  /** Up to which number to count. @default 100 000 */
  readonly countUpTo?: number | undefined;
}

/** A checked filter of a plan. */
export interface PlanSettings extends Selection {
  /** `undefined`: all of them. */
  readonly first: number | undefined;
  readonly tasks: readonly AnyTask[];
  readonly countUpTo: number;
}

/** The options of `queue.deadLetters.plan`. */
export const PLAN_KEYS: readonly string[] = [...DISCARD_KEYS, 'tasks', 'countUpTo'];

const COUNT_UP_TO = 100_000;

/** Reads the filter of a plan; every wrong option is reported. */
export function readPlan(fields: Fields, report: Report): PlanSettings {
  const selection = readChoice(fields, report);
  const first = fields.value('limit') === undefined ? undefined : selection.limit;
  for (const [key, count] of [
    ['limit', first],
    ['ids', selection.ids?.length],
  ] as const)
    if ((count ?? 0) > MAX_OPERATION_IDS) fields.fail(key, `must be at most ${MAX_OPERATION_IDS}`, FEWER);
  const tasks = readTasks(fields, report);
  return {
    ...selection,
    first,
    tasks: selection.task === undefined ? tasks : [selection.task, ...tasks],
    countUpTo: fields.number('countUpTo', COUNT_UP_TO, integerFrom(1, `Leave it out for ${COUNT_UP_TO}.`)),
  };
}

const FEWER = 'Select them by their task, error name or age instead.';

function readTasks(fields: Fields, report: Report): readonly AnyTask[] {
  const tasks = fields.value('tasks');
  if (tasks === undefined) return [];
  if (!Array.isArray(tasks) || tasks.length > MAX_ITEMS) {
    fields.fail('tasks', `must be a list of at most ${MAX_ITEMS} tasks`, 'Use tasks: [sendEmail].');
    return [];
  }
  for (const [index, task] of tasks.entries())
    checkTask(task, (problem) =>
      report({ ...problem, path: `tasks[${index}]${problem.path.slice('task'.length)}` }),
    );
  return tasks.filter(isTask);
}
