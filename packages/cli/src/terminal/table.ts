import { columnsOf, type Screen, type Style, wrap } from './screen.ts';

/** A column of a table. */
export interface Column {
  readonly title: string;
  /** @default 'left' */
  readonly align?: 'left' | 'right';
}

/** The text of a cell, or a text in a style; without line breaks. */
export type Cell = string | { readonly text: string; readonly style: Style };

const GAP = '  ';

/** What becomes of a last column that does not fit the screen: it ends with `…`, or takes several lines. */
export type Overflow = 'cut' | 'wrap';

/** Returns a table: a line of titles, then the rows. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  screen: Screen,
  overflow: Overflow = 'cut',
): string {
  const widths = widthsOf(columns, rows);
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0);
  const last = Math.min(widths.at(-1) ?? 0, Math.max(8, screen.width - before));
  const fitted = [...widths.slice(0, -1), last];
  const titles = columns.map(({ title }): Cell => ({ text: title, style: 'quiet' }));
  const layout = { columns, widths: fitted, screen };
  const lines = overflow === 'cut' ? rows : rows.flatMap((row) => wrapLast(row, last));
  return [titles, ...lines].map((row) => renderRow(row, layout)).join('\n');
}

/** Returns a row in several: all but the first have only the rest of the last cell. */
function wrapLast(row: readonly Cell[], width: number): readonly (readonly Cell[])[] {
  const cell = row.at(-1) ?? '';
  const lines = wrap(textOf(cell), width).split('\n');
  const inStyle = (text: string): Cell => (typeof cell === 'string' ? text : { ...cell, text });
  const before = row.slice(0, -1);
  return lines.map((text, index) => [...(index === 0 ? before : before.map(() => '')), inStyle(text)]);
}

/** Returns how many columns of the screen a table takes. */
export function columnsOfTable(columns: readonly Column[], rows: readonly (readonly Cell[])[]): number {
  return widthsOf(columns, rows).reduce((sum, width) => sum + width + GAP.length, -GAP.length);
}

function widthsOf(columns: readonly Column[], rows: readonly (readonly Cell[])[]): readonly number[] {
  return columns.map(({ title }, index) =>
    Math.max(columnsOf(title), ...rows.map((row) => columnsOf(textOf(row[index] ?? '')))),
  );
}

interface Layout {
  readonly columns: readonly Column[];
  readonly widths: readonly number[];
  readonly screen: Screen;
}

function renderRow(row: readonly Cell[], { columns, widths, screen }: Layout): string {
  const cells = columns.map(({ align }, index) => {
    const cell = row[index] ?? '';
    const width = widths[index] ?? 0;
    const text = cut(textOf(cell), width);
    const space = ' '.repeat(width - columnsOf(text));
    const painted = typeof cell === 'string' ? text : screen.paint(cell.style, text);
    if (align === 'right') return space + painted;
    return index === columns.length - 1 ? painted : painted + space;
  });
  return cells.join(GAP).trimEnd();
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

/** Returns the text in at most `width` columns. */
export function cut(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  let kept = '';
  for (const character of text) {
    if (columnsOf(kept + character) > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
