import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareIds } from '../../packages/redis-queue/src/record/compare-ids.ts';

/** Few different ids, also beyond ASCII, where UTF-16 has another order than the bytes. */
const id = fc.oneof(
  fc.constantFrom('a', 'b', 'B', 'aa', 'é', '\uffee', '\u{1f600}', '\ue000'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
);

const byBytes = (left: string, right: string): number =>
  Buffer.compare(Buffer.from(left), Buffer.from(right));

it('compares ids by their bytes', () => {
  fc.assert(
    fc.property(id, id, (left, right) => {
      expect(compareIds(left, right)).toBe(byBytes(left, right));
    }),
  );
});
