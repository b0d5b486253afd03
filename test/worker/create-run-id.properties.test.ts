import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRunId } from '../../packages/worker/src/queue/run-id.ts';

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('createRunId', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('gives ids of version 7 that ascend, however the clock goes', () => {
    const clock = vi.spyOn(Date, 'now');
    const steps = fc.array(fc.record({ toMs: fc.nat({ max: 2 ** 48 - 9 }), ids: fc.nat({ max: 50 }) }));
    fc.assert(
      fc.property(steps, (all) => {
        const ids = all.flatMap(({ toMs, ids: count }) => {
          clock.mockReturnValue(toMs);
          return Array.from({ length: count }, createRunId);
        });

        expect(ids.filter((id) => !VERSION_7.test(id))).toEqual([]);
        expect(new Set(ids).size).toBe(ids.length);
        expect([...ids].sort()).toEqual(ids);
      }),
    );
  });

  it('goes ahead of a clock that stands still for more than 4096 of them', () => {
    vi.spyOn(Date, 'now').mockReturnValue(2 ** 48 - 1_000);

    const ids = Array.from({ length: 10_000 }, createRunId);

    expect(new Set(ids.map((id) => id.slice(0, 18))).size).toBe(10_000);
    expect([...ids].sort()).toEqual(ids);
  });
});
