import type { Plan, Queue } from '@retry/worker';
import { CliError } from '../errors.ts';
import type { SelectionOptions } from './selection.ts';
import { isSelective, readFilter } from './selection.ts';

/** What is done to dead letters. */
export type Kind = 'redrive' | 'discard';

/** The options of `retry dlq discard`, and those that both verbs have. */
export interface BulkOptions extends SelectionOptions {
  readonly all?: boolean;
  readonly limit?: number;
  readonly reason?: string;
  readonly by?: string;
  /** Change something: without it, the plan is printed. */
  readonly apply?: boolean;
  /** Do not wait until it is done; workers carry it on. */
  readonly detach?: boolean;
  /** Ask no question. */
  readonly yes?: boolean;
  /** How many a second; of a redrive. */
  readonly rate?: number;
  /** Milliseconds over which they are due; of a redrive. */
  readonly spread?: number;
}

/** Plans what was asked for. @throws {CliError} `WRONG_USAGE` when nothing is selected */
export async function planFor(queue: Queue, ids: readonly string[], options: BulkOptions): Promise<Plan> {
  const { limit, all, state } = options;
  const { plan } = queue.deadLetters;
  if (ids.length > 0) {
    if (isSelective(options) || all === true || limit !== undefined) {
      throw new CliError('WRONG_USAGE', 'Ids and filters exclude each other. Leave one of them out.');
    }
    return plan({ ids, state });
  }
  if (isSelective(options)) {
    if (all === true) throw new CliError('WRONG_USAGE', 'Leave --all out: a filter is given.');
    return plan({ ...(await readFilter(queue, options)), limit });
  }
  if (all === true) return plan({ all: true, state, limit });
  const cure = 'Give ids, --task, --group, --error, --since or --older-than; --all means every one.';
  throw new CliError('WRONG_USAGE', `Nothing is selected. ${cure}`);
}
