import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** A column: its title, and what a row has in it. */
export interface Column<Row> {
  readonly title: string;
  /** Numbers stand at the end of their column. */
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
}

/** A table that scrolls sideways inside of itself where the screen is narrow. */
export function Table<Row>({ caption, rows, keyOf, columns }: TableProps<Row>): VNode {
  useKeptFocus();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it
    // biome-ignore lint/a11y/useSemanticElements: a group that scrolls, no field set
    <div class="scroll" role="group" aria-label={caption} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : ''}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, isNumber, cell }) => (
                <td key={title} class={isNumber ? 'number' : ''} data-title={title}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A row that is moved takes the focus with it, where the browser does not see to that (`moveBefore`). */
function useKeptFocus(): void {
  const focused = document.activeElement;
  useLayoutEffect(() => {
    if (document.activeElement === document.body && focused instanceof HTMLElement) focused.focus();
  });
}

/** The link that opens a row; keys go from one to the next. */
export function RowLink({ href, children }: { href: string; children: ComponentChildren }): VNode {
  return (
    <a data-row href={href} dir="auto">
      {children}
    </a>
  );
}
