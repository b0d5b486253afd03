import { MAX_INSTANT_AT } from '@retry/core';
import type { Run } from '@retry/core/broker';
import {
  inBatches,
  keepableMs,
  MAX_BATCH_BYTES,
  newRun,
  runBytes,
  sizedPage,
  textProblem,
} from '@retry/core/broker/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** Any text that a string can hold, halves of surrogate pairs and U+0000 too, around the limit in length. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 600 }),
  fc.string({ unit: 'grapheme', minLength: 100, maxLength: 300 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
    .map((units) => String.fromCharCode(...units)),
  fc.nat({ max: 20 }).map((more) => 'x'.repeat(500 + more)),
);

describe('textProblem', () => {
  it('accepts exactly well-formed text of 1 to 512 bytes of UTF-8, without U+0000', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const bytes = Buffer.from(text, 'utf8');
        const isKept = bytes.toString('utf8') === text && !bytes.includes(0);
        const isRightSize = bytes.length >= 1 && bytes.length <= 512;

        expect(textProblem(text) === undefined).toBe(isKept && isRightSize);
      }),
    );
  });

  it('refuses anything but a string', () => {
    fc.assert(
      fc.property(
        fc.anything().filter((value) => typeof value !== 'string'),
        (value) => {
          expect(textProblem(value)).toBe('must be text');
        },
      ),
    );
  });

  it('takes no longer over a text of a hundred megabytes', () => {
    expect(textProblem('x'.repeat(100_000_000))).toBe('must be at most 512 bytes of UTF-8');
  });
});

describe('keepableMs', () => {
  it('returns whole milliseconds that every broker can store, never early but at the last instant', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (ms) => {
        const kept = keepableMs(ms);

        expect(Number.isInteger(kept)).toBe(true);
        expect(kept).toBeGreaterThanOrEqual(Math.min(ms, MAX_INSTANT_AT));
        expect(kept).toBeGreaterThanOrEqual(0);
        expect(kept).toBeLessThanOrEqual(MAX_INSTANT_AT);
        if (ms >= 0 && ms <= MAX_INSTANT_AT) expect(kept - ms).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('sizedPage', () => {
  const runs = fc.array(fc.nat({ max: 3 * MAX_BATCH_BYTES }), { maxLength: 12 }).map((sizes) =>
    sizes.map((size, index): Run => {
      const run = newRun({ id: `${index}`, lane: 'l', payload: '', concurrency: undefined });
      // Only its length is asked for.
      return { ...run, payload: { length: size } as string };
    }),
  );

  it('returns the first runs that fit into a batch, at least one if there is any', () => {
    fc.assert(
      fc.property(runs, (all) => {
        const page = sizedPage(all);
        const bytes = page.reduce((sum, run) => sum + runBytes(run), 0);
        const next = all[page.length];

        expect(page).toEqual(all.slice(0, page.length));
        expect(page.length).toBeGreaterThanOrEqual(Math.min(1, all.length));
        if (page.length > 1) expect(bytes).toBeLessThanOrEqual(MAX_BATCH_BYTES);
        if (next !== undefined) expect(bytes + runBytes(next)).toBeGreaterThan(MAX_BATCH_BYTES);
      }),
    );
  });
});

describe('inBatches', () => {
  const items = fc.array(
    fc.record({ bytes: fc.nat({ max: 9 }), id: fc.constantFrom('a', 'b', 'c', undefined) }),
  );
  const size = fc.record({ count: fc.integer({ min: 1, max: 9 }), maxBytes: fc.nat({ max: 20 }) });

  it('takes as many items as fit, at least one, and no two of one id', () => {
    fc.assert(
      fc.property(items, size, (all, { count, maxBytes }) => {
        const fits = (some: readonly (typeof all)[number][]): boolean => {
          const ids = some.flatMap(({ id }) => id ?? []);
          const bytes = some.reduce((sum, item) => sum + item.bytes, 0);
          return some.length <= count && bytes <= maxBytes && new Set(ids).size === ids.length;
        };

        const batches = inBatches(all, {
          count,
          maxBytes,
          bytesOf: ({ bytes }) => bytes,
          idOf: ({ id }) => id,
        });

        expect(batches.flat()).toEqual(all);
        for (const [index, batch] of batches.entries()) {
          expect(batch.length === 1 || fits(batch)).toBe(true);
          const [next] = batches[index + 1] ?? [];
          if (next !== undefined) expect(fits([...batch, next])).toBe(false);
        }
      }),
    );
  });

  it('takes as many items as are counted where nothing else limits them', () => {
    expect(inBatches([1, 2, 3, 4, 5], { count: 2 })).toEqual([[1, 2], [3, 4], [5]]);
    expect(inBatches([], { count: 2 })).toEqual([]);
  });
});
