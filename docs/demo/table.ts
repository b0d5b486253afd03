/**
 * Formats a table as lines: columns of numbers aligned right, all others left.
 *
 * @param head - one title per column; the first is the title of the table
 */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): readonly string[] {
  const columns = head.map((title, column) => {
    const cells = rows.map((row) => `${row[column] ?? ''}`);
    return formatColumn(title, column === 0 ? cells.map((cell) => `  ${cell}`) : cells);
  });
  return [head, ...rows].map((_, line) =>
    columns
      .map((column) => column[line] ?? '')
      .join('   ')
      .trimEnd(),
  );
}

function formatColumn(title: string, cells: readonly string[]): readonly string[] {
  const isNumeric = cells.every((cell) => /^\d+(\.\d+)?$/.test(cell));
  const width = Math.max(...[title, ...cells].map((text) => text.length));
  return [title, ...cells].map((text) => (isNumeric ? text.padStart(width) : text.padEnd(width)));
}
