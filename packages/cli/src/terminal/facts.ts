import type { Screen } from './screen.ts';
import { wrap } from './screen.ts';
import type { Cell } from './table.ts';

/** Returns names and values, one pair a line, the values below each other; a value that is too long goes on below its beginning. */
export function renderFacts(facts: readonly (readonly [string, Cell])[], screen: Screen): string {
  const column = Math.max(...facts.map(([name]) => name.length)) + 2;
  return facts
    .map(([name, cell]) => {
      const text = typeof cell === 'string' ? cell : cell.text;
      const lines = wrap(text, screen.width - column).split('\n');
      const painted = typeof cell === 'string' ? lines : lines.map((line) => screen.paint(cell.style, line));
      return screen.paint('quiet', name.padEnd(column)) + painted.join(`\n${' '.repeat(column)}`);
    })
    .join('\n');
}
