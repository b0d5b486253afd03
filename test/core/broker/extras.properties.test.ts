import { readExtras, writeExtras } from '@retry/core/broker/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

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
