import type { Hold, LaneFigures } from '@retry/core/broker';
import { ageText } from '../terminal/age.ts';
import { countedText, rateText, shareText } from '../terminal/counts.ts';
import { printable } from '../terminal/printable.ts';
import { type Screen, wrap } from '../terminal/screen.ts';
import { type Cell, type Column, columnsOfTable, renderTable } from '../terminal/table.ts';

/** A column of lanes. */
interface LaneColumn extends Column {
  readonly cell: (lane: LaneFigures) => Cell;
  /** Whether it is left out where the screen is narrow. */
  readonly isSpare?: boolean;
}

const COLUMNS: readonly LaneColumn[] = [
  { title: 'lane', cell: ({ lane }) => printable(lane) },
  { title: 'waiting', align: 'right', cell: ({ waiting }) => countedText(waiting) },
  { title: 'scheduled', align: 'right', cell: ({ scheduled }) => countedText(scheduled) },
  { title: 'started', align: 'right', cell: ({ started }) => countedText(started) },
  { title: 'oldest', align: 'right', cell: ({ oldestClaimableAgeMs }) => age(oldestClaimableAgeMs) },
  { title: 'out/s', align: 'right', cell: ({ rates }) => rateText(rates?.out) },
  { title: 'retries', align: 'right', cell: retriesCell, isSpare: true },
  { title: 'late', align: 'right', cell: ({ rates }) => age(rates?.maxLatenessMs), isSpare: true },
  { title: 'workers', align: 'right', cell: workersCell },
  { title: 'hold', cell: ({ holds }) => holdCell(holds) },
];

/** Returns lanes as a table; on a narrow screen without some of its columns. */
export function laneTable(lanes: readonly LaneFigures[], screen: Screen): string {
  const rowsOf = (columns: readonly LaneColumn[]): readonly (readonly Cell[])[] =>
    lanes.map((lane) => columns.map(({ cell }) => cell(lane)));
  const hasHold = lanes.some(({ holds }) => holds.length > 0);
  const all = COLUMNS.filter(({ title }) => hasHold || title !== 'hold');
  const isWide = columnsOfTable(all, rowsOf(all)) <= screen.width;
  const columns = isWide ? all : all.filter(({ isSpare }) => isSpare !== true);
  return renderTable(columns, rowsOf(columns), screen);
}

function retriesCell({ rates }: LaneFigures): Cell {
  if (rates === undefined || rates.starts.count === 0) return '-';
  const share = rates.retries.count / rates.starts.count;
  return { text: shareText(share), style: share > 0.1 ? 'warning' : 'good' };
}

function workersCell({ workers, waiting, scheduled }: LaneFigures): Cell {
  const hasWork = waiting.count + scheduled.count > 0;
  return workers === 0 && hasWork ? { text: 'none', style: 'bad' } : String(workers);
}

function holdCell(holds: readonly Hold[]): Cell {
  if (holds.length === 0) return '';
  return { text: holds.map(holdText).join('; '), style: 'warning' };
}

/** Returns a line for each lane on hold, for where the table has no room for it. */
export function holdLines(lanes: readonly LaneFigures[], screen: Screen): readonly string[] {
  return lanes
    .filter(({ holds }) => holds.length > 0)
    .map(({ lane, holds }) => {
      const text = `${printable(lane)} is on hold ${holds.map(holdText).join('; ')}`;
      return screen.paint('warning', wrap(text, screen.width, '  '));
    });
}

/** Returns who put a lane on hold, and why. */
export function holdText({ source, by, reason, until, heldAt }: Hold): string {
  const who = by === undefined ? source : `${source} ${by}`;
  const length = until === undefined ? 'until resumed' : `for ${ageText(until - heldAt)}`;
  return printable(`${length}, by ${who}${reason === undefined ? '' : `: ${reason}`}`);
}

function age(ms: number | undefined): string {
  return ms === undefined ? '-' : ageText(ms);
}
