import type { Broker } from '@retry/core/broker';
import { defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LaneChoice } from '../../packages/worker/src/engine/plan/lane-choice.ts';
import { MANY_TURNS, setScene } from './scene.ts';

const LANES = Array.from({ length: 100 }, (_, index) => `lane-${index}`);

/** Lanes with so many runs each, and claims from them as a broker answers them: earlier lanes first. */
function createLanes(waiting: Map<string, number>) {
  const claim = openLanes(waiting);
  return (limit: number) => claim(limit)();
}

/** The same, with claims that are answered when the function they return is called, each so many ms after the one before. */
function openLanes(waiting: Map<string, number>, everyMs = 10) {
  const names = [...waiting.keys()];
  const open = new Map(names.map((lane) => [lane, Infinity]));
  const choice = new LaneChoice(names);
  let now = 0;
  return (limit: number) => {
    now += everyMs;
    const chosen = choice.choose(open, limit, now);
    const { lanes } = chosen;
    choice.noteSent(chosen, limit, now);
    const claimed: string[] = [];
    for (const [lane, room] of lanes) {
      const count = Math.min(room, limit - claimed.length, waiting.get(lane) ?? 0);
      waiting.set(lane, (waiting.get(lane) ?? 0) - count);
      for (let taken = 0; taken < count; taken += 1) claimed.push(lane);
    }
    return () => {
      choice.note({ claim: { lanes, limit }, claimed: claimed.map((lane) => ({ run: { lane } })) });
      return { claimed, asked: lanes.size };
    };
  };
}

/** A thousand lanes, with the runs of each. */
const thousand = (runs: number) =>
  Array.from({ length: 1_000 }, (_, index) => [`lane-${index}`, runs] as const);

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

  it('gives every lane its turn, whatever arrives in the others, with one claim or two under way', () => {
    const arrivals = fc.array(fc.constantFrom(0, 1, 3, 50), { minLength: 2, maxLength: 60 });
    const plan = fc.record({
      arrivals,
      limit: fc.integer({ min: 1, max: 40 }),
      before: fc.nat({ max: 80 }),
      areTwo: fc.boolean(),
    });
    fc.assert(
      fc.property(plan, ({ arrivals, limit, before, areTwo }) => {
        const waiting = new Map(arrivals.map((_, index) => [`lane-${index}`, 0]));
        const begin = openLanes(waiting);
        let answer = begin(limit);
        const claimNext = (): readonly string[] => {
          // The first lane is the one that waits for its turn.
          for (const [index, count] of arrivals.entries())
            if (index > 0) waiting.set(`lane-${index}`, (waiting.get(`lane-${index}`) ?? 0) + count);
          const last = areTwo ? answer : undefined;
          const next = begin(limit);
          const { claimed } = (last ?? next)();
          answer = next;
          return claimed;
        };
        if (!areTwo) answer();
        for (let count = 0; count < before; count += 1) claimNext();

        waiting.set('lane-0', 1);
        let claims = 0;
        while (!claimNext().includes('lane-0') && claims <= 10_000) claims += 1;

        expect(claims).toBeLessThanOrEqual(8 * (arrivals.length + 1));
      }),
    );
  });

  it('fills its claims from a thousand lanes with few runs each, and asks about twice as many lanes as it needs', () => {
    const claim = createLanes(new Map(thousand(8)));
    claim(100);
    const claims = Array.from({ length: 7 }, () => claim(250));

    expect(claims.map(({ claimed }) => claimed.length)).toEqual(Array(7).fill(250));
    // One of them also asks the lanes that are known to be empty.
    expect(claims.filter(({ asked }) => asked <= 2 * Math.ceil(250 / 7))).toHaveLength(6);
  });

  it('asks more lanes when those it asked had less than before', () => {
    const claim = createLanes(new Map([...thousand(1).slice(0, 900), ['hot', 500]]));
    for (let count = 0; count < 3; count += 1) claim(100);
    const claims = Array.from({ length: 6 }, () => claim(100));

    expect(claims.filter(({ claimed }) => claimed.length < 100).length).toBeLessThanOrEqual(1);
  });

  it('takes other lanes by a second claim than by the one that is under way', () => {
    const begin = openLanes(new Map(thousand(8)));
    begin(100)();
    begin(250)();

    const answers = [begin(250), begin(250)].map((answer) => answer());

    expect(answers.map(({ claimed }) => claimed.length)).toEqual([250, 250]);
    expect(Math.max(...answers.map(({ asked }) => asked))).toBeLessThanOrEqual(2 * Math.ceil(250 / 7));
  });

  it('keeps the turn of lanes that a claim did not reach because the broker ended it early', () => {
    const names = LANES.slice(0, 3);
    const choice = new LaneChoice(names);
    const open = new Map(names.map((lane) => [lane, Infinity]));
    const chosen = choice.choose(open, 100, 0);
    const { lanes } = chosen;
    choice.noteSent(chosen, 100, 0);
    const claimed = Array.from({ length: 40 }, () => ({ run: { lane: 'lane-0' } }));

    choice.note({ claim: { lanes, limit: 100 }, claimed, isCut: true });

    expect([...choice.choose(open, 100, 0).lanes.keys()]).toEqual(['lane-1', 'lane-2', 'lane-0']);
  });

  it('asks the empty ones of a thousand lanes every 100 ms at most while another is full', () => {
    const begin = openLanes(new Map([...thousand(0), ['hot', Infinity]]), 1);
    begin(5)();
    const asked = Array.from({ length: 1_000 }, () => begin(5)().asked);

    expect(asked.filter((size) => size > 16)).toHaveLength(10);
  });

  it('asks the empty ones within eight claims after the clock was set back', () => {
    const begin = openLanes(new Map([...thousand(0), ['hot', Infinity]]), -3_600_000);
    begin(5)();
    for (let count = 0; count < 20; count += 1) begin(5)();
    const asked = Array.from({ length: 8 }, () => begin(5)().asked);

    expect(asked.filter((size) => size > 16)).toHaveLength(1);
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
    const { clock, queue, startWorker } = setScene(0, MANY_TURNS);
    const seen: string[] = [];
    const tasks = LANES.slice(0, 5).map((name) => defineTask({ name, run: () => void seen.push(name) }));
    for (const task of tasks)
      await queue.submitMany(
        task,
        Array.from({ length: 50 }, () => null),
      );
    startWorker({ tasks, concurrency: 1, prefetch: 0 });

    await clock.advance('1s');

    expect([...new Set(seen.slice(0, tasks.length))].sort()).toEqual(LANES.slice(0, 5));
  });

  it('needs about as many claims for a thousand tasks as for one', async () => {
    const claimsOf = async (count: number): Promise<number> => {
      const { clock, broker, queue, startWorker } = setScene(0, MANY_TURNS);
      const tasks = Array.from({ length: count }, (_, index) =>
        defineTask({ name: `task-${index}`, run: () => {} }),
      );
      for (const task of tasks) await queue.submitMany(task, Array(8_000 / count).fill(0));
      let claims = 0;
      const exchange: Broker['exchange'] = (request) => {
        if (request.claim !== undefined) claims += 1;
        return broker.exchange(request);
      };
      startWorker({ tasks, broker: { ...broker, exchange }, concurrency: 100 });

      await clock.advance('1s');

      expect(await queue.counts()).toMatchObject({ ended: { completed: 8_000 } });
      return claims;
    };

    expect(await claimsOf(1_000)).toBeLessThanOrEqual(1.2 * (await claimsOf(1)));
  });
});
