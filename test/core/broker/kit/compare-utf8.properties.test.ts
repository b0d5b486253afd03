import { compareUtf8 } from '@retry/core/broker/kit';
import fc from 'fast-check';
import { expect, it } from 'vitest';

/** Few different texts, also beyond ASCII, where UTF-16 has another order than the bytes. */
const text = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'B', 'aa', 'é', '\uffee', '\u{1f600}', '\ue000', '\ud7ff', '\u{10ffff}'),
  fc.string({ unit: 'binary', maxLength: 3 }),
);

const byBytes = (left: string, right: string): number =>
  Buffer.compare(Buffer.from(left), Buffer.from(right));

it('compares texts by their bytes', () => {
  fc.assert(
    fc.property(text, text, (left, right) => {
      expect(Math.sign(compareUtf8(left, right))).toBe(byBytes(left, right));
    }),
  );
});
