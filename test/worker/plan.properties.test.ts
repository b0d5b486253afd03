import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plan } from '../../packages/worker/src/engine/plan/plan.ts';
import type { FleetPlan, PlayedRun, PlayedWorker } from './planned-fleet.ts';
import { playFleet } from './planned-fleet.ts';

const handlerMs = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 500 }));
const tasks = fc.array(
  fc.record({
    runs: fc.array(handlerMs, { maxLength: 25 }),
    maxConcurrent: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 4 })),
    keys: fc.integer({ min: 0, max: 3 }),
  }),
  { minLength: 1, maxLength: 4 },
);
const prefetch = fc.oneof(fc.constant<'auto'>('auto'), fc.integer({ min: 0, max: 50 }));
const outages = fc.array(
  fc.record({
    worker: fc.nat(49),
    at: fc.integer({ min: 0, max: 400 }),
    forMs: fc.integer({ min: 0, max: 200 }),
  }),
  { maxLength: 3 },
);
const fleets = fc.record({
  workers: fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 1, max: 5 }) },
    fc.integer({ min: 6, max: 50 }),
  ),
  concurrency: fc.integer({ min: 1, max: 12 }),
  prefetch,
  settleMs: fc.oneof(fc.constant(5), fc.constant(0), fc.integer({ min: 1, max: 100 })),
  tasks,
  trips: fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 5 }),
  outages,
});

const check = (law: (fleet: FleetPlan) => void): void => fc.assert(fc.property(fleets, law));

/** How many runs the claims under way may return. */
const asked = ({ claims }: PlayedWorker): number => [...claims].reduce((sum, { limit }) => sum + limit, 0);

describe('the plan of a worker', () => {
  it('executes every run, whatever the fleet, its tasks and its line', () => {
    check((fleet) => {
      const { runs, left, workers } = playFleet(fleet);

      expect(left).toBe(0);
      expect(runs.filter(({ hasEnded }) => !hasEnded)).toEqual([]);
      expect(
        workers.map(
          ({ state: { leased, queued, unanswered, exchanges } }) => leased + queued + unanswered + exchanges,
        ),
      ).toEqual(workers.map(() => 0));
    });
  });

  it('has at most two exchanges under way', () => {
    check((fleet) => {
      playFleet(fleet, { onSent: ({ state }) => expect(state.exchanges).toBeLessThanOrEqual(2) });
    });
  });

  it('never leases more than there is room for', () => {
    check((fleet) => {
      playFleet(fleet, {
        onSent: (worker, claim, now) => {
          if (claim === undefined) return;
          const { leased, estimate, concurrency } = worker.state;
          expect(leased + asked(worker)).toBeLessThanOrEqual(concurrency + estimate.count(now));
        },
        onPlan: ({ running, state }) => expect(running.size).toBeLessThanOrEqual(state.concurrency),
      });
    });
  });

  it('never has more of a task than its maxConcurrent, what is under way included', () => {
    check((fleet) => {
      playFleet(fleet, {
        onSent: ({ state, running, claims }) => {
          for (const [index, { maxConcurrent }] of fleet.tasks.entries()) {
            const lane = `t${index}@1`;
            const here = [...running, ...state.waiting.flatMap(({ runs, first }) => runs.slice(first))];
            const mine = here.filter((run) => run.lane === lane && !run.hasEnded).length;
            const coming = [...claims].reduce(
              (sum, { limit, lanes }) => sum + Math.min(limit, lanes.get(lane) ?? 0),
              0,
            );
            expect(mine + coming).toBeLessThanOrEqual(maxConcurrent);
          }
        },
      });
    });
  });

  it('starts what was claimed, gives it back, or has lost it within 100 ms', () => {
    check((fleet) => {
      const { runs } = playFleet(fleet);

      for (const { claimedAt, startedAt, givenBackAt, lostAt } of runs)
        expect((startedAt ?? givenBackAt ?? lostAt ?? Infinity) - claimedAt).toBeLessThanOrEqual(100);
    });
  });

  it('starts no run that it has given back or lost', () => {
    check((fleet) => {
      const { runs } = playFleet(fleet);

      for (const { startedAt = 0, givenBackAt = Infinity, lostAt = Infinity } of runs)
        expect(startedAt).toBeLessThanOrEqual(Math.min(givenBackAt, lostAt));
    });
  });

  it('runs at most one handler of a concurrency key whose leases it holds', () => {
    check((fleet) => {
      const { runs } = playFleet(fleet);

      const byKey = new Map<string, PlayedRun[]>();
      for (const run of runs)
        if (run.key !== undefined && run.startedAt !== undefined)
          byKey.set(run.key, [...(byKey.get(run.key) ?? []), run]);
      for (const ofKey of byKey.values()) {
        const spans = ofKey
          .map(({ startedAt = 0, handlerMs, lostAt = Infinity }) => ({
            from: startedAt,
            to: Math.min(startedAt + handlerMs, lostAt),
          }))
          .sort((one, other) => one.from - other.from || one.to - other.to);
        for (const [index, { to }] of spans.entries())
          expect(spans[index + 1]?.from ?? Infinity).toBeGreaterThanOrEqual(to);
      }
    });
  });

  it('claims nothing while heartbeats fail and it holds leases', () => {
    check((fleet) => {
      playFleet(fleet, {
        onSent: ({ state }, claim) => {
          if (state.areHeartbeatsLost && state.leased > 0) expect(claim).toBeUndefined();
        },
      });
    });
  });

  it('changes nothing by planning: the same follows again until it is done', () => {
    check((fleet) => {
      playFleet(fleet, { onPlan: ({ state }, planned, now) => expect(plan(state, now)).toEqual(planned) });
    });
  });

  it('settles immediately where a slot is free, otherwise within settleWithin of the first end', () => {
    check((fleet) => {
      playFleet(fleet, {
        onPlan: ({ state, queuedAt = Infinity }, planned, now) => {
          const { exchanges, queued, slots, waiting, concurrency } = state;
          if (queued === 0 || exchanges > 0) return;
          const isFull = slots.taken.running >= concurrency || waiting.length > 0;
          if (!isFull || fleet.settleMs === 0) expect(planned.exchanges).toBe(true);
          else if (!planned.exchanges)
            expect(now - queuedAt + planned.wakeInMs).toBeLessThanOrEqual(fleet.settleMs);
        },
      });
    });
  });

  it('settles after 1 ms beside an exchange under way, or with the next one while every slot is taken', () => {
    check((fleet) => {
      playFleet(fleet, {
        onPlan: ({ state: { exchanges, queued, slots, waiting, concurrency } }, planned) => {
          if (queued === 0 || exchanges !== 1 || planned.exchanges) return;
          const isFull = slots.taken.running >= concurrency || waiting.length > 0;
          if (!isFull || fleet.settleMs === 0) expect(planned.wakeInMs).toBeLessThanOrEqual(1);
        },
      });
    });
  });

  it('has one claim under way where runs are executed one at a time', () => {
    check((fleet) => {
      playFleet(
        { ...fleet, concurrency: 1 },
        {
          onSent: ({ claims, state }) => {
            if (state.isSerial) expect(claims.size).toBeLessThanOrEqual(1);
          },
        },
      );
    });
  });

  it('ends when it is stopped: nothing starts, and what runs is settled at once', () => {
    const stops = fc.tuple(fleets, fc.integer({ min: 0, max: 300 }));
    fc.assert(
      fc.property(stops, ([fleet, stopAt]) => {
        const { runs, workers } = playFleet(
          { ...fleet, stopAt },
          {
            onPlan: ({ state: { isStopping, queued, exchanges } }, planned) => {
              if (isStopping && queued > 0 && exchanges === 0) expect(planned.exchanges).toBe(true);
            },
          },
        );

        expect(runs.filter(({ startedAt = 0 }) => startedAt > stopAt)).toEqual([]);
        expect(workers.map(({ state }) => state.leased + state.queued + state.exchanges)).toEqual(
          workers.map(() => 0),
        );
      }),
    );
  });

  it('calls no more handlers than a drain may, and ends it', () => {
    const drains = fc.tuple(fleets, fc.integer({ min: 1, max: 30 }));
    fc.assert(
      fc.property(drains, ([fleet, maxRuns]) => {
        const { workers } = playFleet({ ...fleet, maxRuns });

        for (const { started, drained } of workers) {
          expect(started).toBeLessThanOrEqual(maxRuns);
          expect(drained).toBeDefined();
        }
      }),
    );
  });

  it('starves no lane: of those that always have runs, each is served', () => {
    const always = fc.record({
      lanes: fc.integer({ min: 2, max: 30 }),
      concurrency: fc.integer({ min: 1, max: 10 }),
      prefetch: fc.integer({ min: 0, max: 10 }),
    });
    fc.assert(
      fc.property(always, ({ lanes, concurrency, prefetch }) => {
        const each = { runs: Array.from({ length: 40 }, () => 5), maxConcurrent: Infinity };
        const fleet = {
          workers: 1,
          concurrency,
          prefetch,
          settleMs: 5,
          tasks: Array.from({ length: lanes }, () => each),
          trips: [2],
        };
        const { runs } = playFleet(fleet);
        const first = new Map<string, number>();
        for (const { lane, startedAt = Infinity } of runs)
          first.set(lane, Math.min(first.get(lane) ?? Infinity, startedAt));
        const lastStartAt = Math.max(...runs.map(({ startedAt = 0 }) => startedAt));

        // Each claim takes half of a lane at most, so all have had a turn before three quarters of the work are done.
        for (const startedAt of first.values()) expect(startedAt).toBeLessThanOrEqual(0.75 * lastStartAt);
      }),
      { numRuns: 30 },
    );
  });
});
