import { textProblem } from '@retry/core/broker/kit';
import type { Fields, Report } from '@retry/core/fields';
import { laneOf } from '../../task/lane.ts';
import { isTask } from '../../task/task.ts';

/** Whose runs are selected: those of any task, of all versions of one, or of one version. */
export interface TaskFilter {
  readonly name: string | undefined;
  readonly version: string | undefined;
}

/** Returns what selects these runs: a broker lists those of a lane; a task has a lane for each version. */
export function taskQuery({ name, version }: TaskFilter): { readonly task?: string; readonly lane?: string } {
  if (name === undefined) return {};
  return version === undefined ? { task: name } : { lane: laneOf({ name, version }) };
}

/** Reads the name and the version of a task; every wrong one is reported. */
export function readTaskFilter(fields: Fields, report: Report): TaskFilter {
  const task = fields.value('task');
  const version = fields.optional('version', A_NAME_PART);
  if (isTask(task)) return { name: task.name, version: version ?? task.version };
  const name = fields.optional('task', A_TASK);
  if (version !== undefined && task === undefined) {
    const cure = 'Versions belong to a task: give its name, too.';
    report({ path: 'task', value: undefined, message: 'is required with version', cure });
  }
  return { name, version };
}

function isNamePart(value: unknown): value is string {
  return textProblem(value) === undefined && !String(value).includes('@');
}

const A_NAME_PART = {
  accepts: isNamePart,
  message: 'must be text without @',
  cure: "Use version: '2'.",
};

const A_TASK = {
  accepts: isNamePart,
  message: 'must be a task, or the name of one',
  cure: "Use the task itself, made by defineTask, or its name: 'send-email'. The version is an option of its own.",
};
