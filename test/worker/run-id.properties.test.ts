import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const RUN_ID = /^[0-9A-Za-z]{19}$/;
/** In 2081; ids begin anew then. */
const LAST_MS = 62 ** 7 - 1;

describe('createRunId', () => {
  let createRunId: () => string;

  /** Ids never go back behind the latest of their module, and a clock of a test before may have been at the end of time. */
  beforeEach(async () => {
    vi.resetModules();
    ({ createRunId } = await import('../../packages/worker/src/queue/run-id.ts'));
  });

  afterEach(() => void vi.restoreAllMocks());

  it('returns ascending ids of 19 letters and digits, whatever the clock does', () => {
    const clock = vi.spyOn(Date, 'now');
    const steps = fc.array(fc.record({ toMs: fc.nat({ max: LAST_MS - 1_000 }), ids: fc.nat({ max: 50 }) }));
    fc.assert(
      fc.property(steps, (all) => {
        const ids = all.flatMap(({ toMs, ids: count }) => {
          clock.mockReturnValue(toMs);
          return Array.from({ length: count }, () => createRunId());
        });

        expect(ids.filter((id) => !RUN_ID.test(id))).toEqual([]);
        expect(new Set(ids).size).toBe(ids.length);
        expect([...ids].sort()).toEqual(ids);
      }),
    );
  });

  it.each([0, -1])('returns ids from the first one on, of a clock at %i', async (now) => {
    vi.spyOn(Date, 'now').mockReturnValue(now);
    vi.resetModules();
    const fresh = await import('../../packages/worker/src/queue/run-id.ts');

    const ids = [fresh.createRunId(), fresh.createRunId()];

    for (const id of ids) expect(id).toMatch(RUN_ID);
    expect([...ids].sort()).toEqual(ids);
  });

  it('runs ahead of a clock that stays the same for more than 3844 of them', () => {
    vi.spyOn(Date, 'now').mockReturnValue(LAST_MS - 1_000);

    const ids = Array.from({ length: 10_000 }, () => createRunId());

    expect(new Set(ids.map((id) => id.slice(0, 9))).size).toBe(10_000);
    expect([...ids].sort()).toEqual(ids);
  });

  it('has the instant first, which begins anew in the year 2081', () => {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(1_800_000_000_000);
    expect(createRunId().slice(0, 7)).toBe('VgmOYqW');
    clock.mockReturnValue(LAST_MS);
    expect(createRunId().slice(0, 7)).toBe('zzzzzzz');
    clock.mockReturnValue(LAST_MS + 1);

    expect(createRunId().slice(0, 7)).toBe('0000000');
  });

  it('draws each of its last ten digits by itself, and none twice', () => {
    const ends = Array.from({ length: 40_000 }, () => createRunId().slice(9));

    expect(new Set(ends).size).toBe(ends.length);
    for (let index = 0; index < 10; index += 1) {
      const times = new Map<string, number>();
      for (const end of ends) times.set(end[index] ?? '', (times.get(end[index] ?? '') ?? 0) + 1);
      expect(times.size).toBe(62);
      // Each is drawn 645 times, with a standard deviation of 25.
      expect(Math.min(...times.values())).toBeGreaterThan(440);
      expect(Math.max(...times.values())).toBeLessThan(850);
    }
    // By itself: each pair of neighbours is there, too.
    for (let index = 0; index < 9; index += 1) {
      const pairs = new Set(ends.map((end) => end.slice(index, index + 2)));
      expect(pairs.size).toBeGreaterThan(62 * 62 - 20);
    }
  });
});
