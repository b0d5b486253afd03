import { describe, expect, it } from 'vitest';
import { createScreen } from '../../packages/cli/src/terminal/screen.ts';

/** Returns the width of what is written to a stream. */
function widthOf(columns: number | undefined, COLUMNS?: string): number {
  const stream = { write: () => {}, ...(columns !== undefined && { isTTY: true, columns }) };
  return createScreen(stream, COLUMNS === undefined ? {} : { COLUMNS }, { color: false }).width;
}

describe('the width of a screen', () => {
  it.each([
    [200, undefined, 200],
    [41, '100', 41],
    [40, undefined, 40],
    [39, undefined, 40],
    [1, undefined, 40],
    [0, undefined, 80],
    [undefined, undefined, 80],
    [undefined, '100', 100],
    [undefined, '39', 40],
    [undefined, '0', 80],
    [undefined, '-5', 80],
    [undefined, 'wide', 80],
    [undefined, '', 80],
  ])('of a terminal of %s columns, and COLUMNS of %s, is %i', (columns, variable, expected) => {
    expect(widthOf(columns, variable)).toBe(expected);
  });

  it('never shrinks as the terminal grows', () => {
    const widths = Array.from({ length: 200 }, (_, index) => widthOf(index + 1));

    expect(widths).toEqual([...widths].sort((one, other) => one - other));
  });
});
