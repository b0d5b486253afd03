import type { LetterGroup, PlanFilter, Queue } from '@retry/worker';
import type { ConnectOptions } from '../connect/connect-options.ts';
import { CliError } from '../errors.ts';
import { taskFilter } from '../runs/task-filter.ts';

/** The options that select dead letters. */
export interface SelectionOptions extends ConnectOptions {
  /** `send-email`, or `send-email@2`. */
  readonly task?: string;
  /** The id of an error group, or its beginning. */
  readonly group?: string;
  /** The name of the latest error. */
  readonly error?: string;
  /** Ended within this many milliseconds. */
  readonly since?: number;
  /** Ended longer than this many milliseconds ago. */
  readonly olderThan?: number;
  /** Absent: `failed`. */
  readonly state?: NonNullable<PlanFilter['state']>;
}

/** Whether anything besides the state selects. */
export function isSelective({ task, group, error, since, olderThan }: SelectionOptions): boolean {
  return [task, group, error, since, olderThan].some((option) => option !== undefined);
}

/**
 * Returns the filter of a queue.
 *
 * @throws {CliError} `NO_SUCH_GROUP` when no group has that id
 * @throws {CliError} `WRONG_USAGE` for ages that no dead letter has
 */
export async function readFilter(
  queue: Queue,
  { task, group, error, since, olderThan, state }: SelectionOptions,
): Promise<Omit<PlanFilter, 'ids' | 'limit' | 'all'>> {
  if (since !== undefined && olderThan !== undefined && olderThan > since) throw noSuchAge();
  return {
    ...taskFilter(task),
    group: group === undefined ? undefined : await findGroupId(queue, group, task),
    errorName: error,
    newerThan: since,
    olderThan,
    state,
  };
}

function noSuchAge(): CliError {
  const message =
    '--older-than is longer than --since, so that no run is of both. Swap them, or leave one out.';
  return new CliError('WRONG_USAGE', message);
}

/** The most pages of groups that are looked through. */
const MAX_PAGES = 20;

/** Every id begins with it: a variable of a shell that is not set would select the only group there is. */
const EMPTY_GROUP =
  '--group is empty. Give the id of a group, or its beginning: retry dlq groups lists them.';

/** People give the beginning of an id, as of a commit. */
async function findGroupId(queue: Queue, beginning: string, task: string | undefined): Promise<string> {
  if (beginning === '') throw new CliError('WRONG_USAGE', EMPTY_GROUP);
  const found = new Set<string>();
  let after: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await queue.deadLetters.groups({ ...taskFilter(task), limit: 1_000, after });
    const ids = page.groups.map(({ id }: LetterGroup) => id).filter((id) => id.startsWith(beginning));
    if (ids.includes(beginning)) return beginning;
    for (const id of ids) found.add(id);
    after = page.next;
    if (after === undefined) break;
  }
  const [id] = found;
  if (id !== undefined && found.size === 1) return id;
  const many = `${found.size} groups begin with ${beginning}: ${[...found].slice(0, 5).join(', ')}.`;
  const message = found.size === 0 ? `There is no error group ${beginning}.` : many;
  throw new CliError('NO_SUCH_GROUP', `${message} retry dlq groups lists them.`);
}
