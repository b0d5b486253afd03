import type { LetterGroup } from '@retry/worker';
import { ageText } from '../terminal/age.ts';
import { shareText, wholeText } from '../terminal/counts.ts';
import { printable } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';
import { type Cell, type Column, type Overflow, renderTable } from '../terminal/table.ts';

const COLUMNS: readonly Column[] = [
  { title: 'group' },
  { title: 'runs', align: 'right' },
  { title: 'share', align: 'right' },
  { title: 'last', align: 'right' },
  { title: 'task' },
  { title: 'error' },
];

/** Returns the beginning of a group's id, as people write it: commands take it, and say so if several begin so. */
export function shortGroup(id: string): string {
  return /^[0-9a-f]{16}$/.test(id) ? id.slice(0, 8) : id;
}

/** Returns groups of dead letters as a table. */
export function groupTable(
  groups: readonly LetterGroup[],
  now: number,
  screen: Screen,
  overflow: Overflow = 'cut',
): string {
  const rows = groups.map((group): readonly Cell[] => [
    shortGroup(group.id),
    wholeText(group.count),
    shareText(group.share),
    ageText(now - group.lastSeenAt),
    printable(group.lane),
    printable(group.title),
  ]);
  return renderTable(COLUMNS, rows, screen, overflow);
}
