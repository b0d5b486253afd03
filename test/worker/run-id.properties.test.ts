import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('createRunId', () => {
  let createRunId: () => string;
  let isRunId: (id: string) => boolean;

  /** Ids never go back behind the latest of their module, and a clock of a test before may have been at the end of time. */
  beforeEach(async () => {
    vi.resetModules();
    ({ createRunId, isRunId } = await import('../../packages/worker/src/queue/run-id.ts'));
  });

  afterEach(() => void vi.restoreAllMocks());

  it('returns ascending ids of version 7, whatever the clock does', () => {
    const clock = vi.spyOn(Date, 'now');
    const steps = fc.array(fc.record({ toMs: fc.nat({ max: 2 ** 48 - 1_000 }), ids: fc.nat({ max: 50 }) }));
    fc.assert(
      fc.property(steps, (all) => {
        const ids = all.flatMap(({ toMs, ids: count }) => {
          clock.mockReturnValue(toMs);
          return Array.from({ length: count }, () => createRunId());
        });

        expect(ids.filter((id) => !VERSION_7.test(id))).toEqual([]);
        expect(new Set(ids).size).toBe(ids.length);
        expect([...ids].sort()).toEqual(ids);
      }),
    );
  });

  it.each([0, -1])('returns ids of version 7 from the first one on, of a clock at %i', async (now) => {
    vi.spyOn(Date, 'now').mockReturnValue(now);
    vi.resetModules();
    const fresh = await import('../../packages/worker/src/queue/run-id.ts');

    const ids = [fresh.createRunId(), fresh.createRunId()];

    for (const id of ids) expect(id).toMatch(VERSION_7);
    expect([...ids].sort()).toEqual(ids);
  });

  it('runs ahead of a clock that stays the same for more than 4096 of them', () => {
    vi.spyOn(Date, 'now').mockReturnValue(2 ** 48 - 1_000);

    const ids = Array.from({ length: 10_000 }, () => createRunId());

    expect(new Set(ids.map((id) => id.slice(0, 18))).size).toBe(10_000);
    expect([...ids].sort()).toEqual(ids);
  });

  it('knows its own ids after the clock was set back, and none from the future', () => {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(1_800_000_000_000);
    createRunId();
    clock.mockReturnValue(1_700_000_000_000);

    expect(isRunId(createRunId())).toBe(true);
    expect(isRunId('ffffffff-ffff-7000-8000-000000000000')).toBe(false);
  });

  it('draws each of its last sixteen digits by itself, and none twice', () => {
    const ends = Array.from({ length: 10_000 }, () => createRunId().slice(18).replaceAll('-', ''));

    const digitsAt = (index: number): string => [...new Set(ends.map((end) => end[index]))].sort().join('');
    expect(digitsAt(0)).toBe('89ab');
    for (let index = 1; index < 16; index += 1) expect(digitsAt(index)).toBe('0123456789abcdef');
    expect(new Set(ends).size).toBe(ends.length);
    // By itself: each pair of neighbours is there, too.
    for (let index = 0; index < 15; index += 1) {
      const pairs = new Set(ends.map((end) => end.slice(index, index + 2)));
      expect(pairs.size).toBe(index === 0 ? 4 * 16 : 16 * 16);
    }
  });
});
