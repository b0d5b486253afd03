import { formatDuration } from '@retry/core';
import type { Plan } from '@retry/worker';
import { shareText, wholeText } from '../terminal/counts.ts';
import { printable } from '../terminal/printable.ts';
import { type Screen, wrap } from '../terminal/screen.ts';
import { type Cell, type Column, renderTable } from '../terminal/table.ts';
import { shortGroup } from './group-table.ts';
import type { BulkOptions, Kind } from './plan.ts';

/** A plan, and what would be done with it. */
export interface ShownPlan {
  readonly kind: Kind;
  readonly plan: Plan;
  readonly options: BulkOptions;
}

const COLUMNS: readonly Column[] = [
  { title: 'group' },
  { title: 'runs', align: 'right' },
  { title: 'share', align: 'right' },
  { title: 'error' },
];

const SHOWN_GROUPS = 10;
const SHOWN_IDS = 3;

/** Returns how long the redrive takes at its rate, in milliseconds; 0 without one. */
export function durationOf({ count }: Plan, { rate, spread }: BulkOptions): number {
  if (spread !== undefined) return spread;
  return rate === undefined ? 0 : Math.round((count / rate) * 1_000);
}

/** Returns a plan: what it takes, by cause and by task, and its effect. */
export function planText(shown: ShownPlan, screen: Screen): string {
  const { plan } = shown;
  if (plan.count === 0) return 'No dead letter matches.';
  const rows = plan.groups
    .slice(0, SHOWN_GROUPS)
    .map((group): readonly Cell[] => [
      shortGroup(group.id),
      wholeText(group.count),
      shareText(group.count / plan.count),
      printable(group.title),
    ]);
  const others = plan.groups.length - rows.length;
  const ids = plan.firstIds.slice(0, SHOWN_IDS).map(printable).join(', ');
  const tasks = plan.tasks.map(({ task, version, count }) => `${task}@${version} ${wholeText(count)}`);
  return [
    screen.paint('strong', headOf(shown)),
    '',
    renderTable(COLUMNS, rows, screen, 'wrap'),
    ...(others > 0 ? [`… and ${others} more groups`] : []),
    '',
    wrap(`tasks   ${printable(tasks.join(', '))}`, screen.width, '        '),
    wrap(`first   ${ids}${plan.count > SHOWN_IDS ? ', …' : ''}`, screen.width, '        '),
    wrap(`effect  ${effectOf(shown)}`, screen.width, '        '),
  ].join('\n');
}

function headOf({ kind, plan: { count, isComplete } }: ShownPlan): string {
  const runs = `${wholeText(count)}${isComplete ? '' : ' or more'} dead ${count === 1 ? 'letter' : 'letters'}`;
  return `${kind === 'redrive' ? 'Redrive' : 'Discard'} ${runs}`;
}

function effectOf({ kind, plan, options }: ShownPlan): string {
  if (kind === 'discard') return 'they are deleted for good';
  const durationMs = durationOf(plan, options);
  const when = durationMs === 0 ? 'are due now' : `are due over ${formatDuration(durationMs)}`;
  const { startsPerSecond } = plan.load;
  const beside = startsPerSecond === undefined ? '' : `, beside ${startsPerSecond.toFixed(1)} starts/s now`;
  return `they go back to their lanes with all attempts, and ${when}${beside}`;
}
