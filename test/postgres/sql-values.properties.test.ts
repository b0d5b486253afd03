import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textArray } from '../../packages/postgres/src/driver/sql-values.ts';

/** Any text without U+0000: quotes, control characters, halves of surrogate pairs, JSON. */
const texts = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.string({
      unit: fc.constantFrom('"', '\\', '\n', '{', ',', '\u{1f600}', '\ud800', '\udc00', '\u0085'),
    }),
  )
  .filter((text) => !text.includes('\0'));

describe('textArray', () => {
  it('writes every text as it is, and which are absent', () => {
    const values = fc.array(fc.option(texts, { nil: undefined }), { minLength: 1 });
    fc.assert(
      fc.property(values, (all) => {
        const written = textArray(all);

        if (all.every((value) => value === undefined)) expect(written).toBeNull();
        else expect(readArray(written ?? '')).toEqual(all);
      }),
    );
  });
});

/** Reads what Postgres documents, in a simple way: elements in quotes, in which a backslash escapes the next character. */
function readArray(written: string): readonly (string | undefined)[] {
  const elements = written.slice(1, -1).matchAll(/"((?:[^"\\]|\\[\s\S])*)"|NULL/g);
  return [...elements].map(([, quoted]) => quoted?.replaceAll(/\\([\s\S])/g, '$1'));
}
