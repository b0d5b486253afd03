import { defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LaneChoice } from '../../packages/worker/src/engine/lanes/lane-choice.ts';
import { setScene } from './scene.ts';

const LANES = Array.from({ length: 100 }, (_, index) => `lane-${index}`);

/** Lanes with so many runs each, and claims from them as a broker answers them: earlier lanes first. */
function createLanes(waiting: Map<string, number>) {
  const names = [...waiting.keys()];
  const open = new Map(names.map((lane) => [lane, Infinity]));
  const choice = new LaneChoice(names);
  return (limit: number) => {
    const lanes = choice.choose(open, limit);
    const claimed: string[] = [];
    for (const [lane, room] of lanes) {
      const count = Math.min(room, limit - claimed.length, waiting.get(lane) ?? 0);
      waiting.set(lane, (waiting.get(lane) ?? 0) - count);
      for (let taken = 0; taken < count; taken += 1) claimed.push(lane);
    }
    choice.note({ claim: { lanes, limit }, claimed: claimed.map((lane) => ({ run: { lane } })) });
    return { claimed, asked: lanes.size };
  };
}

describe('the choice of lanes', () => {
  it('serves each of N lanes that are always full within N claims', () => {
    const limits = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), limits, (count, before) => {
        const names = LANES.slice(0, count);
        const claim = createLanes(new Map(names.map((lane) => [lane, Infinity])));
        for (const limit of before) claim(limit);

        const next = names.flatMap(() => claim(5).claimed);

        expect([...new Set(next)].sort()).toEqual([...names].sort());
      }),
    );
  });

  it('claims a run of a lane that was empty within eight claims, whatever the others have', () => {
    const counts = fc.array(fc.nat({ max: 30 }), { minLength: LANES.length, maxLength: LANES.length });
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 40 }), fc.nat({ max: 40 }), (before, limit, claims) => {
        const waiting = new Map(LANES.map((lane, index) => [lane, index === 0 ? 0 : (before[index] ?? 0)]));
        const claim = createLanes(waiting);
        for (let count = 0; count < claims; count += 1) claim(limit);
        // It is known to be empty once it was asked.
        if (claims < LANES.length) for (let count = 0; count < LANES.length; count += 1) claim(limit);

        waiting.set('lane-0', 1);
        const next = Array.from({ length: 8 }, () => claim(limit).claimed).flat();

        expect(next).toContain('lane-0');
      }),
    );
  });

  it('claims every run, and gets nothing only where all lanes were asked', () => {
    const counts = fc.array(fc.nat({ max: 3 }), { minLength: LANES.length, maxLength: LANES.length });
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 40 }), (runs, limit) => {
        const claim = createLanes(new Map(LANES.map((lane, index) => [lane, runs[index] ?? 0])));
        const all = runs.reduce((sum, count) => sum + count, 0);
        const claimed: string[] = [];
        for (let next = claim(limit); ; next = claim(limit)) {
          claimed.push(...next.claimed);
          if (next.claimed.length === 0 && next.asked === LANES.length) break;
        }

        expect(claimed).toHaveLength(all);
      }),
    );
  });

  it('asks few lanes while claims are filled', () => {
    const claim = createLanes(new Map(LANES.map((lane, index) => [lane, index < 90 ? 0 : Infinity])));
    claim(500);
    const asked = Array.from({ length: 16 }, () => claim(5).asked);

    expect(asked.filter((size) => size === LANES.length)).toHaveLength(2);
    expect(asked.filter((size) => size <= 16)).toHaveLength(14);
  });
});

describe('a worker of several tasks', () => {
  it('serves each of N lanes that are always full within N claims that take less than one holds', async () => {
    const { clock, queue, startWorker } = setScene();
    const seen: string[] = [];
    const tasks = LANES.slice(0, 5).map((name) => defineTask({ name, run: () => void seen.push(name) }));
    for (const task of tasks)
      await queue.submitMany(
        task,
        Array.from({ length: 50 }, (_, index) => index),
      );
    startWorker({ tasks, concurrency: 1, prefetch: 0 });

    await clock.advance('1s');

    expect([...new Set(seen.slice(0, tasks.length))].sort()).toEqual(LANES.slice(0, 5));
  });
});
