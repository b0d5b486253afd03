import type { AttemptError } from '@retry/core/broker';
import { addError, readExtras, writeExtras } from '@retry/core/broker/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const errors: fc.Arbitrary<AttemptError> = fc.record(
  {
    ...{ epoch: fc.nat(), at: fc.nat(), name: fc.string(), message: fc.string(), stack: fc.string() },
    stalledWith: fc.nat(),
  },
  { requiredKeys: ['epoch', 'at', 'name', 'message'] },
);

describe('addError', () => {
  it('keeps the latest 20, in their order, and the stack of the last one only', () => {
    fc.assert(
      fc.property(fc.array(errors, { maxLength: 40 }), errors, (known, error) => {
        const all = addError(known, error);

        expect(all.at(-1)).toEqual(error);
        expect(all).toHaveLength(Math.min(20, known.length + 1));
        expect(all.slice(0, -1).every(({ stack }) => stack === undefined)).toBe(true);
        expect(all.map(({ message }) => message)).toEqual(
          [...known, error].slice(-20).map(({ message }) => message),
        );
      }),
    );
  });
});

describe('readExtras', () => {
  it('reads what writeExtras wrote, whatever text is in it', () => {
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.string());
    fc.assert(
      fc.property(fc.record({ retry: texts, origin: texts }, { requiredKeys: [] }), (extras) => {
        const written = writeExtras(extras);

        expect(written === undefined).toBe(Object.keys(extras).length === 0);
        expect(readExtras(written)).toEqual(extras);
      }),
    );
  });

  it('reads nothing from text of others, and never throws', () => {
    for (const text of ['null', '5', '[]', '{', '{"retry":5,"origin":{}}', '', null, undefined])
      expect(readExtras(text)).toEqual({});
    fc.assert(fc.property(fc.string(), (text) => void readExtras(text)));
    fc.assert(fc.property(fc.json(), (text) => void readExtras(text)));
  });
});
