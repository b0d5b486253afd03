import { formatDuration } from '@retry/core';
import { RUN_COUNTERS } from '@retry/core/broker/kit';
import type { RunView } from '@retry/worker';
import { ageText, instantText } from '../terminal/age.ts';
import { renderFacts } from '../terminal/facts.ts';
import { printable } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';
import { type Cell, type Column, cut, renderTable } from '../terminal/table.ts';
import type { AttemptRow } from './attempts.ts';
import { errorLine, stateCell } from './run-texts.ts';

/** What `retry runs show` prints. */
export interface ShownRun {
  readonly run: RunView;
  readonly attempts: readonly AttemptRow[];
  readonly now: number;
}

const COLUMNS: readonly Column[] = [
  { title: 'attempt', align: 'right' },
  { title: 'started' },
  { title: 'waited', align: 'right' },
  { title: 'ran', align: 'right' },
  { title: 'outcome' },
  { title: 'error' },
];

/** Returns a run: its facts, then a row per attempt. */
export function showText({ run, attempts, now }: ShownRun, screen: Screen): string {
  const facts = renderFacts(factsOf(run, now, screen), screen);
  if (attempts.length === 0) return facts;
  return [facts, '', renderTable(COLUMNS, attempts.map(cellsOf), screen, 'wrap')].join('\n');
}

function factsOf(run: RunView, now: number, screen: Screen): readonly (readonly [string, Cell])[] {
  const ago = (at: number): string =>
    at > now ? `${instantText(at)}, in ${ageText(at - now)}` : `${instantText(at)}, ${ageText(now - at)} ago`;
  const json = (value: unknown): string => cut(printable(JSON.stringify(value) ?? ''), screen.width - 14);
  const rows: readonly (readonly [string, Cell | undefined])[] = [
    ['run', printable(run.id)],
    ['task', printable(run.lane)],
    ['state', stateCell(run.state)],
    ['attempt', countersText(run)],
    ['submitted', run.createdAt === undefined ? undefined : ago(run.createdAt)],
    ['due', run.state === 'scheduled' && run.runAt !== undefined ? ago(run.runAt) : undefined],
    ['ended', run.endedAt === undefined ? undefined : ago(run.endedAt)],
    ['origin', run.origin && `submitted in place of ${printable(run.origin)}`],
    ['cancel', run.isCancelRequested === true ? 'its worker was asked to cancel it' : undefined],
    ['policy', run.retry && `its own: ${json(run.retry)}`],
    ['forgotten', run.trimmed === undefined ? undefined : `its ${run.trimmed.join(' and ')}, to make room`],
    ['payload', run.payload === undefined ? undefined : json(run.payload)],
    ['result', run.result === undefined ? undefined : json(run.result)],
  ];
  return rows.flatMap(([name, cell]) => (cell ? [[name, cell] as const] : []));
}

const COUNTERS = [...RUN_COUNTERS.filter((key) => key !== 'resetEpoch'), 'carried'] as const;

function countersText(run: RunView): string {
  const counters = COUNTERS.filter((key) => run[key] > 0).map((key) => `${key} ${run[key]}`);
  return [String(run.attempt), ...counters].join(', ');
}

function cellsOf({ attempt, startedAt, waitedMs, ranMs, outcome, error }: AttemptRow): readonly Cell[] {
  const time = (ms: number | undefined): string => (ms === undefined ? '-' : formatDuration(ms));
  return [
    attempt === undefined ? '-' : String(attempt),
    startedAt === undefined ? '-' : new Date(startedAt).toISOString().slice(11, -1),
    time(waitedMs),
    time(ranMs),
    outcome,
    error === undefined ? '' : errorLine(error),
  ];
}
