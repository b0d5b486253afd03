import { describe, expect, it } from 'vitest';
import { SharedLimit } from '../../packages/worker/src/engine/plan/shared-limit.ts';

const WAIT = { whenFull: 'wait' } as const;

/** A limit of 10 a minute that one lane uses, and its clock. */
function setLimit(lanes: readonly string[] = ['a@1']) {
  const clock = { now: 1_000_000 };
  const limit = new SharedLimit({ key: 'a', limit: 10, windowMs: 60_000 }, () => clock.now);
  limit.lanes.push(...lanes);
  return { clock, limit };
}

describe('what a worker knows about a shared limit', () => {
  it('lets it claim as many runs as the limit, less those that it has started and those that it asks for', () => {
    const { limit } = setLimit();
    const before = limit.room(WAIT);
    limit.noteAnswer(4, { granted: 4 });
    limit.noteAsked(1);

    expect([before, limit.room(WAIT), limit.opensIn()]).toEqual([10, 5, Infinity]);
  });

  it('divides the room among the lanes that share it', () => {
    expect(setLimit(['a@1', 'b@1', 'c@1']).limit.room(WAIT)).toBe(4);
  });

  it('opens by itself when its own starts have left the window', () => {
    const { clock, limit } = setLimit();
    limit.noteAnswer(10, { granted: 10 });

    const opensIn = limit.opensIn();
    clock.now += opensIn;

    expect(opensIn).toBeGreaterThanOrEqual(60_000);
    expect(opensIn).toBeLessThanOrEqual(61_875);
    expect([limit.isFull, limit.room(WAIT)]).toEqual([false, 10]);
  });

  it('stays shut until the broker said that one more can start, then opens by as many as were granted last', () => {
    const { clock, limit } = setLimit();
    limit.noteAnswer(6, { granted: 2, availableAt: 1_005_000 });
    const shut = [limit.isFull, limit.room(WAIT), limit.opensIn()];
    clock.now = 1_005_000;

    expect(shut).toEqual([true, 0, 5_000]);
    expect([limit.isFull, limit.room(WAIT), limit.opensIn()]).toEqual([false, 2, Infinity]);
  });

  it('asks for more each time that all were granted, and for half as many when none was', () => {
    const { clock, limit } = setLimit();
    limit.noteAnswer(8, { granted: 0, availableAt: 1_000_002 });
    clock.now += 2;
    const rooms = [limit.room(WAIT)];
    for (const granted of [1, 1]) {
      limit.noteAnswer(granted, { granted });
      rooms.push(limit.room(WAIT));
    }

    expect(rooms).toEqual([4, 5, 7]);
  });

  it('closes lanes of any kind after a failure, and other lanes never', () => {
    const { clock, limit } = setLimit();
    const ends = { whenFull: 'end' } as const;
    limit.noteFailure(50);
    const failed = [limit.room(WAIT), limit.room(ends), limit.opensIn()];
    clock.now += 50;
    limit.noteAnswer(1, { granted: 0, availableAt: 2_000_000 });

    expect(failed).toEqual([0, 0, 50]);
    expect(limit.room(ends)).toBeGreaterThan(1_000_000);
  });

  it.each([61_001, 3_600_000, 86_400_000])(
    'opens within three windows when the clock goes back by %i ms',
    (backMs) => {
      const { clock, limit } = setLimit();
      limit.noteAnswer(12, { granted: 10, availableAt: 1_060_000 });
      limit.noteFailure(5_000);

      clock.now -= backMs;
      const waits: number[] = [];
      while (limit.room(WAIT) === 0 && waits.length < 5) {
        waits.push(limit.opensIn());
        clock.now += waits.at(-1) ?? 0;
      }

      expect(limit.room(WAIT)).toBeGreaterThan(0);
      expect(waits.reduce((sum, waitMs) => sum + waitMs, 0)).toBeLessThanOrEqual(3 * 60_000 + 2);
    },
  );
});
