import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { GroupReads } from '../../packages/redis-queue/src/verbs/figures.ts';
import { fullestOf, listGroups } from '../../packages/redis-queue/src/verbs/figures.ts';

type Kept = Awaited<ReturnType<GroupReads['all']>>[number];

const groups: fc.Arbitrary<readonly Kept[]> = fc.uniqueArray(
  fc.record({
    ...{ lane: fc.constantFrom('a', 'b'), id: fc.constantFrom('x', 'y', 'z'), title: fc.constant('t') },
    ...{ count: fc.integer({ min: 1, max: 9 }), attempts: fc.nat({ max: 9 }), sampleId: fc.constant('kept') },
    ...{ firstSeenAt: fc.nat({ max: 9 }), lastSeenAt: fc.nat({ max: 9 }) },
  }),
  { selector: ({ lane, id }) => `${lane} ${id}` },
);

it('reads all groups of each partition once for a page, and samples of those alone that are on it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(groups, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 7 }),
      async (kept, limit) => {
        let reads = 0;
        const sampled: string[] = [];
        const parts = kept.map(
          (own, part): GroupReads => ({
            all: async () => {
              reads += 1;
              return own;
            },
            samples: async (asked) => {
              const ids = asked.map(({ lane, id }) => `${part} ${lane} ${id}`);
              sampled.push(...ids);
              return ids;
            },
          }),
        );
        const found = [];
        let pages = 0;
        for (let after: string | undefined; ; ) {
          const page = await listGroups(parts, 'test', after === undefined ? { limit } : { limit, after });
          found.push(...page.groups);
          pages += 1;
          expect(page.deadLetters).toBe(kept.flat().reduce((sum, { count }) => sum + count, 0));
          if (page.next === undefined) break;
          after = page.next;
        }

        expect(reads).toBe(pages * parts.length);
        expect(sampled.sort()).toEqual(found.map(({ sampleId }) => sampleId).sort());
        expect(new Set(found.map(({ lane, id }) => `${lane} ${id}`)).size).toBe(found.length);
        for (const group of found) {
          const same = kept.flatMap((own, part) =>
            own
              .filter(({ lane, id }) => lane === group.lane && id === group.id)
              .map((one) => ({ ...one, part })),
          );
          const latest = Math.max(...same.map(({ lastSeenAt }) => lastSeenAt));
          expect(group).toMatchObject({
            count: same.reduce((sum, { count }) => sum + count, 0),
            attempts: same.reduce((sum, { attempts }) => sum + attempts, 0),
            firstSeenAt: Math.min(...same.map(({ firstSeenAt }) => firstSeenAt)),
            lastSeenAt: latest,
          });
          const [first] = same.filter(({ lastSeenAt }) => lastSeenAt === latest);
          expect(group.sampleId).toBe(`${first?.part} ${group.lane} ${group.id}`);
        }
      },
    ),
  );
});

it('finds the fullest server wherever its partition is, and measures sixteen partitions at most', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 100 }), { minLength: 1, maxLength: 60 }), async (shares) => {
      let measured = 0;
      const memory = await fullestOf(
        shares.map((share) => ({
          server: async () => (share === 0 ? undefined : { usedBytes: share * 1_000, maxBytes: 100_000 }),
          own: async () => {
            measured += 1;
            return 10;
          },
        })),
      );

      const most = Math.max(...shares);
      expect(memory?.usedBytes).toBe(most === 0 ? undefined : most * 1_000);
      expect(memory?.ownBytes).toBe(most === 0 ? undefined : shares.length * 10);
      expect(measured).toBeLessThanOrEqual(16);
    }),
  );
});
