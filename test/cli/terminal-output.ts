import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import type { run } from './run-in-memory.ts';

const WIDTHS = [80, 120] as const;

/** What a command has printed. */
type Printed = Pick<Awaited<ReturnType<typeof run>>, 'out' | 'err'>;

/** What is given to `run` beside the arguments. */
type View = Pick<NonNullable<Parameters<typeof run>[1]>, 'columns' | 'env'>;

/**
 * Defines tests of what a command prints on a terminal: the same as before, within its width, and without colour the same text.
 *
 * @param golden - the file that has what it printed before
 */
export function itPrintsAsBefore(golden: string, print: (view: View) => Promise<Printed>): void {
  it('prints the same on a terminal as before', async () => {
    const printed: string[] = [];
    for (const columns of WIDTHS) {
      const { out, err } = await print({ columns });
      printed.push(`At ${columns} columns\n---\n${out}---\n${err}`);
    }

    await expect(printed.join('\n')).toMatchFileSnapshot(golden);
  });

  it.each(WIDTHS)('keeps to %i columns, and prints the same text without colour', async (columns) => {
    const coloured = await print({ columns });
    const plain = await print({ columns, env: { NO_COLOR: '1' } });

    expect(plain.out).toBe(stripVTControlCharacters(coloured.out));
    expect(plain.err).toBe(stripVTControlCharacters(coloured.err));
    const lines = `${plain.out}${plain.err}`.split('\n');
    expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(columns);
  });
}
