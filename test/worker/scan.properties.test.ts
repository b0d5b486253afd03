import type { Run } from '@retry/core/broker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Source } from '../../packages/worker/src/queue/views/scan.ts';
import { MAX_SEARCHED, scan } from '../../packages/worker/src/queue/views/scan.ts';

function runOf(index: number): Run {
  return { id: `${index}`, payload: '', errors: [] } as unknown as Run; // a scan reads no more of it
}

/** Entries in parts of at most `most`, of which some are no runs, as those of brokers. */
function sourceOf(
  entries: readonly (Run | undefined)[],
  most = Infinity,
): Source & { readonly asked: readonly number[] } {
  const asked: number[] = [];
  const read: Source['read'] = async (after, limit) => {
    const from = Number(after ?? 0);
    asked.push(limit);
    const part = entries.slice(from, from + Math.min(limit, most));
    const end = from + part.length;
    const runs = part.filter((entry) => entry !== undefined);
    return end < entries.length ? { runs, next: `${end}` } : { runs };
  };
  return { read, asked };
}

describe('scan', () => {
  it('returns each run that matches exactly once, over all its pages, in the order of the source', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('match', 'other', 'none'), { maxLength: 400 }),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 300 }),
        async (kinds, limit, most) => {
          const entries = kinds.map((kind, index) => (kind === 'none' ? undefined : runOf(index)));
          const runs = entries.filter((entry) => entry !== undefined);
          const source = sourceOf(entries, most);
          const matches = ({ id }: Run): boolean => kinds[Number(id)] === 'match';
          const found: Run[] = [];
          let searched = 0;
          let after: string | undefined;
          do {
            const page = await scan(source, { after, limit, matches });
            expect(page.runs.length).toBeLessThanOrEqual(limit);
            found.push(...page.runs);
            searched += page.searched;
            after = page.next;
          } while (after !== undefined);

          expect(found).toEqual(runs.filter(matches));
          expect(searched).toBe(runs.length);
        },
      ),
    );
  });

  it('reads no more than a bounded number of runs, and says where the next page begins', async () => {
    const runs = Array.from({ length: 3 * MAX_SEARCHED }, (_, index) => runOf(index));
    const source = sourceOf(runs);

    const page = await scan(source, { after: undefined, limit: 10, matches: () => false });

    expect(page).toEqual({ runs: [], searched: MAX_SEARCHED, next: `${MAX_SEARCHED}` });
    expect(Math.max(...source.asked)).toBeLessThanOrEqual(1_000);
  });

  it('asks a source that needs no filter for no more runs than the page has', async () => {
    const source = sourceOf([runOf(0), runOf(1), runOf(2)]);

    const page = await scan(source, { after: undefined, limit: 2 });

    expect(page.runs).toHaveLength(2);
    expect(source.asked).toEqual([2]);
  });

  it('ends a page of large runs, and a search of large runs', async () => {
    const runs = Array.from({ length: 100 }, (_, index) => ({
      ...runOf(index),
      payload: 'x'.repeat(2 ** 20),
    }));
    const small = sourceOf(runs, 4);

    const page = await scan(small, { after: undefined, limit: 100 });
    const search = await scan(small, {
      after: undefined,
      limit: 100,
      matches: () => false,
      maxBytes: 2 ** 24,
    });

    expect(page.runs).toHaveLength(8);
    expect(search).toMatchObject({ searched: 16, runs: [] });
  });
});
