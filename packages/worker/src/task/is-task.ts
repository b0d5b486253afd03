import { isPolicy } from '@retry/core';
import type { Report } from '@retry/core/fields';
import type { AnyTask } from './task.ts';

/** Whether a value is a task of `defineTask`, of whichever copy of the package. */
export function isTask(value: unknown): value is AnyTask {
  if (typeof value !== 'object' || value === null) return false;
  try {
    const { name, version, lane, run, retry }: Partial<AnyTask> = value;
    const isNamed = [name, version, lane].every((text) => typeof text === 'string');
    return isNamed && typeof run === 'function' && isPolicy(retry);
  } catch {
    return false; // a getter or a Proxy that throws
  }
}

/** Reports a task that is none. */
export function checkTask(task: unknown, report: Report): void {
  if (isTask(task)) return;
  const cure = "Use the task itself, made by defineTask({ name: 'send-email', run }).";
  report({ path: 'task', value: task, message: 'must be a task', cure });
}
