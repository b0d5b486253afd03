import type { LaneSource } from '@retry/core/broker/kit';
import { reportLanes } from '@retry/core/broker/kit';
import { expect, it } from 'vitest';

const NOTES: LaneSource['notes'] = {
  read: async () => ({ now: 0, notes: [] }),
  write: async () => ({ outcome: 'changed', changed: [0], now: 0 }),
};

/** A source that has these lanes, and one run in each of some. */
function sourceOf(names: readonly string[], hasRun: (lane: string) => boolean): LaneSource {
  const none = { count: 0, isComplete: true };
  return {
    names: async () => names,
    count: async (lanes) => ({
      at: 0,
      counts: lanes.map((lane) => ({
        ...{ lane, parked: none, scheduled: none, due: none, started: none },
        waiting: { count: hasRun(lane) ? 1 : 0, isComplete: true },
      })),
    }),
    notes: NOTES,
  };
}

const lanes = Array.from({ length: 3_000 }, (_, index) => `lane-${String(index).padStart(4, '0')}`);

it('reports a thousand lanes that have runs, however many have none', async () => {
  const report = await reportLanes(sourceOf(lanes, (lane) => Number(lane.slice(5)) % 3 === 2));

  expect(report.lanes.map(({ lane }) => lane)).toEqual(lanes.filter((_, index) => index % 3 === 2));
  expect(report.isComplete).toBe(true);
});

it('says that lanes are left out where more than a thousand have runs', async () => {
  const report = await reportLanes(sourceOf(lanes, (lane) => lane >= 'lane-1999'));

  expect(report.lanes).toHaveLength(1_000);
  expect(report.isComplete).toBe(false);
});

it('says that lanes are left out where it has looked at ten thousand', async () => {
  const many = Array.from({ length: 10_001 }, (_, index) => `l-${index}`);

  expect((await reportLanes(sourceOf(many, () => false))).isComplete).toBe(false);
  expect((await reportLanes(sourceOf(many.slice(1), () => false))).isComplete).toBe(true);
});
