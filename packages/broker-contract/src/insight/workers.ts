import type { LaneFlow, WorkerFacts } from '@retry/core/broker';
import { holdLanes, listHolds, listWorkers } from '@retry/core/broker/kit';
import { atLeast, equal, matches, rejectsWith } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { figuresOf } from './figures-of.ts';

const FACTS: WorkerFacts = {
  ...{ host: 'machine', pid: 4711, version: '1.2.3', startedAt: 1_700_000_000_000 },
  ...{ slots: 10, slotsTaken: 3, leases: 5, eventLoopLagMs: 1.5, sharesHeartbeatClient: true },
};

/** Which workers are alive, what they say about themselves, and the rates that follow from it. */
export const insightWorkersCases: CasesByName = {
  'listWorkers returns who attends, by name, with what they say': async (scene) => {
    await scene.broker.attend({ worker: 'b', lanes: ['y', 'x'], ttlMs: LONG_MS, facts: FACTS });
    await scene.broker.attend({ worker: 'a', lanes: [], ttlMs: LONG_MS });

    const workers = await listWorkers(scene.broker);

    matches(workers, [
      { worker: 'a', lanes: [], facts: undefined },
      { worker: 'b', lanes: ['y', 'x'], facts: FACTS },
    ]);
    for (const { attendedAt, aliveUntil } of workers) {
      equal(aliveUntil, attendedAt + LONG_MS);
      atLeast(await scene.now(), attendedAt);
    }
  },

  'listWorkers forgets those who left, and those whose ttlMs has passed': async (scene) => {
    await scene.broker.attend({ worker: 'stays', lanes: ['l'], ttlMs: LONG_MS });
    await scene.broker.attend({ worker: 'leaves', lanes: ['l'], ttlMs: LONG_MS });
    await scene.broker.attend({ worker: 'dies', lanes: ['l'], ttlMs: SHORT_MS });
    await scene.broker.attend({ worker: 'leaves', lanes: ['l'], ttlMs: 0 });
    await scene.advance(PASS_MS);

    const workers = await listWorkers(scene.broker);

    equal(
      workers.map(({ worker }) => worker),
      ['stays'],
    );
  },

  'listWorkers returns what a worker said last': async (scene) => {
    await scene.broker.attend({ worker: 'w', lanes: ['x'], ttlMs: LONG_MS, facts: FACTS });
    await scene.broker.attend({ worker: 'w', lanes: ['y'], ttlMs: LONG_MS, facts: { ...FACTS, leases: 0 } });

    matches(await listWorkers(scene.broker), [{ worker: 'w', lanes: ['y'], facts: { leases: 0 } }]);
  },

  'lanes: it counts the live workers of a lane and adds up what they did': async (scene) => {
    await attend(
      scene,
      'a',
      10_000,
      flow({ lane: 'x', starts: 50, retries: 10, ends: 30, maxLatenessMs: 7 }),
    );
    await attend(scene, 'b', 20_000, flow({ lane: 'x', starts: 20, retries: 0, ends: 40, maxLatenessMs: 9 }));
    await attend(scene, 'idle', 5_000, []);
    await scene.broker.attend({ worker: 'silent', lanes: ['x'], ttlMs: LONG_MS });

    const { lanes } = await figuresOf(scene).lanes({});

    const rate = (perSecond: number, count: number) => ({ perSecond, count, windowMs: 20_000 });
    equal(
      lanes.map(({ lane, workers, rates }) => ({ lane, workers, rates })),
      [
        {
          ...{ lane: 'x', workers: 4 },
          rates: { starts: rate(6, 70), retries: rate(1, 10), out: rate(5, 70), maxLatenessMs: 9 },
        },
        {
          ...{ lane: 'y', workers: 3 },
          rates: { starts: rate(0, 0), retries: rate(0, 0), out: rate(0, 0), maxLatenessMs: 0 },
        },
      ],
    );
  },

  'lanes: it names every live worker and every hold, whichever lanes are asked for': async (scene) => {
    await scene.broker.attend({ worker: 'b', lanes: ['y'], ttlMs: LONG_MS, facts: FACTS });
    await scene.broker.attend({ worker: 'a', lanes: [], ttlMs: LONG_MS });
    await holdLanes(scene.broker, [{ lane: 'y', source: 'handler', forMs: LONG_MS }, { source: 'operator' }]);

    const { workers, holds } = await figuresOf(scene).lanes({ lanes: ['x'] });

    equal(workers, await listWorkers(scene.broker));
    equal(holds, await listHolds(scene.broker));
    matches({ workers, holds }, { workers: [{ worker: 'a' }, { worker: 'b' }], holds: [{}, { lane: 'y' }] });
  },

  'lanes: it has no rates where no live worker has said what it did': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'y' });
    await scene.broker.attend({ worker: 'w', lanes: ['x'], ttlMs: LONG_MS, facts: FACTS });

    const { lanes } = await figuresOf(scene).lanes({});

    equal(
      lanes.map(({ lane, workers, rates }) => ({ lane, workers, rates })),
      [
        { lane: 'x', workers: 1, rates: undefined },
        { lane: 'y', workers: 0, rates: undefined },
      ],
    );
  },

  'lanes: it knows the rate in from its second call on': async (scene) => {
    await attend(scene, 'w', 10_000, flow({ lane: 'x', starts: 10, retries: 0, ends: 10, maxLatenessMs: 0 }));
    const first = await figuresOf(scene).lanes({ lanes: ['x'] });
    equal(first.lanes[0]?.rateIn, undefined);
    await scene.submit(
      { id: 'a', lane: 'x' },
      { id: 'b', lane: 'x' },
      { id: 'c', lane: 'x', delayMs: LONG_MS },
    );
    await scene.advancePast(first.at + 1_000);

    const second = await figuresOf(scene).lanes({ lanes: ['x'] });

    const windowMs = second.at - first.at;
    equal(second.lanes[0]?.rateIn, { perSecond: 1 + 3000 / windowMs, windowMs });
    // A call that follows too soon for another rate.
    const third = await figuresOf(scene).lanes({ lanes: ['x'] });
    if (third.at < second.at + 1_000) equal(third.lanes[0]?.rateIn, second.lanes[0]?.rateIn);
  },

  'attend refuses facts that are no numbers, and keeps what was said before': async (scene) => {
    await scene.broker.attend({ worker: 'w', lanes: ['x'], ttlMs: LONG_MS, facts: FACTS });
    const facts = { ...FACTS, slots: Number.NaN, host: '' };

    await rejectsWith(scene.broker.attend({ worker: 'w', lanes: ['y'], ttlMs: LONG_MS, facts }), {
      code: 'INVALID_OPTIONS',
      problems: [{ path: 'facts.host' }, { path: 'facts.slots' }],
    });

    matches(await listWorkers(scene.broker), [{ worker: 'w', lanes: ['x'], facts: FACTS }]);
  },
};

function flow(lane: LaneFlow): readonly LaneFlow[] {
  return [lane];
}

async function attend(
  { broker }: CaseScene,
  worker: string,
  windowMs: number,
  lanes: readonly LaneFlow[],
): Promise<void> {
  await broker.attend({
    ...{ worker, lanes: ['x', 'y'], ttlMs: LONG_MS },
    facts: { ...FACTS, flow: { windowMs, lanes } },
  });
}
