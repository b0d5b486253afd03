import type { ListedState, RunView } from '@retry/worker';
import type { ConnectOptions } from '../connect/connect-options.ts';
import type { Connected } from '../connect/with-queue.ts';
import { withQueue } from '../connect/with-queue.ts';
import type { Input, Report } from '../report.ts';
import { instantsAsText } from '../terminal/instants-as-text.ts';
import type { Screen } from '../terminal/screen.ts';
import { noteAbsentTask } from './absent-task.ts';
import { runTable } from './run-texts.ts';
import { taskFilter } from './task-filter.ts';

/** The options of `retry runs ls`. */
interface RunsOptions extends ConnectOptions {
  readonly state?: readonly ListedState[];
  readonly task?: string;
  readonly attempt?: number;
  readonly error?: string;
  readonly text?: string;
  /** Milliseconds ago. */
  readonly since?: number;
  readonly limit: number;
  readonly after?: string;
}

interface Page {
  readonly runs: readonly RunView[];
  readonly searched?: number;
  readonly next?: string;
}

/** Lists runs, dead letters first. */
export async function listAction(input: Input<RunsOptions>): Promise<Report> {
  const { options, environment } = input;
  const { page, note } = await withQueue(input, async (connected) => {
    const read = await readPage(connected, options, environment.now());
    const found = { task: options.task, isEmpty: read.runs.length === 0 };
    return { page: read, note: await noteAbsentTask(connected, found) };
  });
  return {
    json: instantsAsText(page),
    text: (screen) => pageText(page, environment.now(), screen),
    ...note,
  };
}

async function readPage({ queue }: Connected, options: RunsOptions, now: number): Promise<Page> {
  const { state, task, attempt, limit, after, error, text, since } = options;
  const common = { ...taskFilter(task), state, attempt, errorName: error, limit, after };
  const from = since === undefined ? undefined : now - since;
  if (text === undefined && from === undefined) return queue.list({ ...common, payloads: 'omit' });
  const { runs, searched, next } = await queue.search({ ...common, text, from });
  return { runs, searched, ...(next !== undefined && { next }) };
}

/** Returns a page of runs as a table, and how to get the next one. */
export function pageText({ runs, searched, next }: Page, now: number, screen: Screen): string {
  const table = runs.length === 0 ? 'No run matches.' : runTable(runs, now, screen);
  const looked = searched === undefined ? '' : ` ${searched} runs were looked at.`;
  const more = next === undefined ? [] : ['', `There may be more.${looked} --after ${next}`];
  return [table, ...more].join('\n');
}
