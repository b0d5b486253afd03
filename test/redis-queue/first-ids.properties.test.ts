import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareIds, FirstIds } from '../../packages/redis-queue/src/record/first-ids.ts';

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

it('keeps the first ids after one, each once, as sorting all of them does', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(id)),
      fc.integer({ min: 1, max: 5 }),
      fc.option(id, { nil: undefined }),
      (parts, limit, after) => {
        const first = new FirstIds(limit, after);
        for (const part of parts) first.add(part);

        const sorted = [...new Set(parts.flat())].sort(byBytes);
        const later = sorted.filter((one) => after === undefined || byBytes(one, after) > 0);
        expect(first.all()).toEqual(later.slice(0, limit));
      },
    ),
  );
});
