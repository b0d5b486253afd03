import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesGlob } from '../../../packages/core/src/matching/glob.ts';

/** Tries every length that each `*` may have. */
function matchesSlowly(glob: string, text: string): boolean {
  if (glob === '') return text === '';
  if (glob[0] !== '*') return glob[0] === text[0] && matchesSlowly(glob.slice(1), text.slice(1));
  return Array.from({ length: text.length + 1 }, (_, skipped) => skipped).some((skipped) =>
    matchesSlowly(glob.slice(1), text.slice(skipped)),
  );
}

const texts = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 8 });
const globs = fc.string({ unit: fc.constantFrom('a', 'b', '*', '\n'), maxLength: 7 });

describe('matchesGlob', () => {
  it('agrees with trying every length of each star', () => {
    fc.assert(
      fc.property(globs, texts, (glob, text) => {
        expect(matchesGlob(glob, text)).toBe(matchesSlowly(glob, text));
      }),
    );
  });

  it('matches a text that is made by filling in its stars', () => {
    const parts = fc.array(fc.tuple(fc.string(), fc.string()));
    fc.assert(
      fc.property(parts, fc.string(), (filled, last) => {
        fc.pre(![...filled.map(([part]) => part), last].join('').includes('*'));
        const glob = filled.map(([part]) => `${part}*`).join('') + last;

        expect(matchesGlob(glob, filled.flat().join('') + last)).toBe(true);
      }),
    );
  });

  it('takes a fraction of a second for what a pattern with backtracking never ends with', () => {
    const text = 'a'.repeat(4_096);

    expect(matchesGlob(`${'*a'.repeat(2_000)}*b`, text)).toBe(false);
    expect(matchesGlob(`${'a*'.repeat(2_000)}b*`, text)).toBe(false);
  });
});
