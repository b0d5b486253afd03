import type { EndState } from '@retry/core/lifecycle';
import type { ForgetFilter } from '@retry/worker';
import type { ConnectOptions } from '../connect/connect-options.ts';
import { withQueueInSteps } from '../connect/with-queue.ts';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit.ts';
import { namedIds } from '../named.ts';
import type { Action, Report } from '../report.ts';
import { nounText } from '../terminal/counts.ts';
import { confirm } from '../terminal/dialog.ts';
import { printable } from '../terminal/printable.ts';
import { noteAbsentTask } from './absent-task.ts';
import { taskFilter } from './task-filter.ts';

/** The options of `retry runs forget`. */
interface ForgetOptions extends ConnectOptions {
  readonly task?: string;
  /** Milliseconds. */
  readonly olderThan?: number;
  readonly state?: readonly EndState[];
  readonly all?: boolean;
  /** Delete something: without it, the ids are printed. */
  readonly apply?: boolean;
  /** Ask no question. */
  readonly yes?: boolean;
}

/** How many ids are printed for people. */
const MAX_SHOWN = 20;

/** How many runs are deleted by one call. */
const MAX_TOGETHER = 1_000;

/** Deletes ended runs for good; with `--apply` only. Exit status 1 unless all that were named have ended. */
export const forgetAction: Action<ForgetOptions> = async (input) => {
  const { options, environment } = input;
  const named = namedIds(input.args);
  const filter = filterOf(named, options);
  return withQueueInSteps(input, async (connected, note) => {
    const { queue } = connected;
    const ids = await queue.forget({ ...filter, dryRun: true });
    if (options.apply !== true || ids.length === 0) {
      const absent = await noteAbsentTask(connected, { task: options.task, isEmpty: ids.length === 0 });
      return {
        ...report(ids, { applied: false, named }, 'Nothing was changed: --apply does it.'),
        ...absent,
      };
    }
    const mayAsk = options.yes !== true && options.json !== true;
    if (mayAsk && !(await confirm(`Delete ${ids.length} runs for good?`, environment))) {
      return { ...report(ids, { applied: false, named }, 'Nothing was deleted.'), exitCode: EXIT.found };
    }
    const forgotten: string[] = [];
    // Those that were counted, and no others that have ended since.
    for (let from = 0; from < ids.length; from += MAX_TOGETHER) {
      const some = ids.slice(from, from + MAX_TOGETHER);
      forgotten.push(...(await queue.forget({ ...filter, ids: some })));
      note(report([...forgotten], { applied: true, named }));
    }
    return report(forgotten, { applied: true, named });
  });
};

function filterOf(ids: readonly string[], options: ForgetOptions): ForgetFilter {
  const { task, olderThan, state, all } = options;
  const isSelective = [task, olderThan, state].some((option) => option !== undefined);
  if (ids.length > 0) {
    if (!isSelective && all !== true) return { ids };
    throw new CliError('WRONG_USAGE', 'Ids and filters exclude each other. Leave one of them out.');
  }
  if (isSelective || all === true) return { ...taskFilter(task), olderThan, state, all };
  const cure =
    'Give ids, --task, --older-than or --state; --all means every completed, cancelled and dropped run.';
  throw new CliError('WRONG_USAGE', `Nothing is selected. ${cure}`);
}

function report(
  ids: readonly string[],
  { applied, named }: { readonly applied: boolean; readonly named: readonly string[] },
  advice = '',
): Report {
  const found = new Set(ids);
  const leftOut = named.filter((id) => !found.has(id));
  const lines = [applied ? `${runs(ids)} forgotten.` : `${runs(ids)} would be forgotten.`];
  lines.push(...ids.slice(0, MAX_SHOWN).map((id) => `  ${printable(id)}`));
  if (ids.length > MAX_SHOWN) lines.push(`  and ${ids.length - MAX_SHOWN} more`);
  if (leftOut.length > 0) lines.push(`Not ended, or not there: ${leftOut.map(printable).join(', ')}.`);
  if (advice !== '' && ids.length > 0) lines.push('', advice);
  return {
    json: { applied, ids, leftOut },
    text: () => lines.join('\n'),
    exitCode: leftOut.length === 0 ? EXIT.fine : EXIT.found,
  };
}

function runs({ length }: readonly string[]): string {
  return length === 0 ? 'No run' : nounText(length, 'run');
}
