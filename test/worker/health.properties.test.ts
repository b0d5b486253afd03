import type { Broker, Hold, LaneFigures, LiveWorker, Notes, Run } from '@retry/core/broker';
import type { FigureSources } from '@retry/core/broker/kit';
import { figuresBy, newRun, reportLanes } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import type { Finding, HealthOptions } from '@retry/worker';
import { createQueue } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { figuresOf } from '../../packages/broker-contract/src/insight/figures-of.ts';
import { DeadLetterGrowth } from '../../packages/worker/src/queue/health/dead-letter-growth.ts';

const NOW = 1_000_000_000;
const WINDOW_MS = 10_000;

/** What there is, one figure for each check. */
interface State {
  readonly unattended: number;
  readonly ageMs: number;
  readonly latenessMs: number;
  readonly starts: number;
  readonly retries: number;
  readonly holdMs: number;
  readonly lagMs: number;
  readonly expired: number;
  readonly inGroup: number;
  readonly inOthers: number;
  readonly unbalanced: number;
  /** Of 1 000 bytes. */
  readonly usedBytes: number;
}

/** The default threshold is met, passed by one, and missed by far. */
const near = (threshold: number, max = threshold * 3): fc.Arbitrary<number> =>
  fc.oneof(
    fc.constantFrom(...[0, threshold - 1, threshold, threshold + 1].filter((one) => one >= 0 && one <= max)),
    fc.nat({ max }),
  );

const states: fc.Arbitrary<State> = fc
  .record({
    ...{ unattended: near(0, 5), ageMs: near(300_000), latenessMs: near(60_000), holdMs: near(900_000) },
    ...{ starts: fc.nat({ max: 100 }), lagMs: near(200), expired: near(0, 5), unbalanced: near(0, 5) },
    usedBytes: near(750, 1_000),
    ...{ retries: fc.nat({ max: 100 }), inGroup: fc.nat({ max: 200 }), inOthers: fc.nat({ max: 200 }) },
  })
  .map((state) => ({ ...state, retries: Math.min(state.retries, state.starts) }));

/** Nothing is found in it. */
const QUIET: State = {
  ...{ unattended: 0, ageMs: 0, latenessMs: 0, starts: 0, retries: 0, holdMs: 0, lagMs: 0, expired: 0 },
  ...{ inGroup: 0, inOthers: 0, unbalanced: 0, usedBytes: 0 },
};

const counted = (count: number) => ({ count, isComplete: true });
const perSecond = (count: number) => ({
  ...{ count, perSecond: (count * 1_000) / WINDOW_MS, windowMs: WINDOW_MS },
});

function lanesOf({ unattended, ageMs, starts, retries, latenessMs }: State): readonly LaneFigures[] {
  const empty = {
    parked: counted(0),
    due: counted(0),
    scheduled: counted(0),
    started: counted(0),
    holds: [],
  };
  const rates = { starts: perSecond(starts), retries: perSecond(retries), out: perSecond(0) };
  return [
    { lane: 'alone@1', waiting: counted(unattended), workers: 0, ...empty },
    {
      ...{ lane: 'mail@2', waiting: counted(1), workers: 1, oldestClaimableAgeMs: ageMs, ...empty },
      rates: { ...rates, maxLatenessMs: latenessMs },
    },
  ];
}

/** A broker that answers what `queue.health` asks. @param isComplete - whether its counts are whole */
function brokerOf(state: State, isComplete = true): Broker {
  const broker = createMemoryBroker();
  const group = { id: 'x', title: 'Error: x', lane: 'mail@2', count: state.inGroup, attempts: 1 };
  const facts = { slots: 1, slotsTaken: 0, leases: 0, eventLoopLagMs: state.lagMs };
  const worker: LiveWorker = { worker: 'w', lanes: ['mail@2'], attendedAt: NOW, aliveUntil: NOW + 1, facts };
  const hold: Hold = { lane: 'mail@2', source: 'operator', heldAt: NOW - state.holdMs };
  const lanes = lanesOf(state).map((lane) => ({ ...lane, waiting: { ...lane.waiting, isComplete } }));
  const run: Run = newRun({ id: 'a', lane: 'mail@2', payload: '' });
  const answers: FigureSources = {
    ...figuresOf({ broker }),
    lanes: async () => ({ at: NOW, lanes, isComplete: true, holds: [hold], workers: [worker] }),
    memory: async () => ({ usedBytes: state.usedBytes, maxBytes: 1_000 }),
    groups: async () => ({
      groups:
        state.inGroup === 0
          ? []
          : [{ ...group, firstSeenAt: NOW, lastSeenAt: NOW, sampleId: 'a', isOther: false }],
      deadLetters: state.inGroup + state.inOthers,
    }),
  };
  return {
    ...broker,
    figures: figuresBy(answers),
    findExpired: async () => Array<Run>(state.expired).fill(run),
    audit: async () => ({ ...(await broker.audit()), unbalanced: state.unbalanced }),
  };
}

/** The figures, the default thresholds and whether the figure counts, by code. */
function expectedOf(state: State): Readonly<Record<string, readonly [figure: number, threshold: number]>> {
  const deadLetters = state.inGroup + state.inOthers;
  return {
    LANE_WITHOUT_WORKER: [state.unattended, 0],
    UNBALANCED: [state.unbalanced, 0],
    MEMORY_NEARLY_FULL: [state.usedBytes / 1_000, 0.75],
    EXPIRED_LEASES: [state.expired, 0],
    OLDEST_AGE: [state.ageMs, 300_000],
    LATE_STARTS: [state.latenessMs, 60_000],
    RETRY_SHARE: [state.starts >= 20 ? state.retries / state.starts : 0, 0.1],
    DOMINANT_GROUP: [deadLetters >= 100 && state.inGroup > 0 ? state.inGroup / deadLetters : 0, 0.5],
    LANE_ON_HOLD: [state.holdMs, 900_000],
    EVENT_LOOP_LAG: [state.lagMs, 200],
  };
}

describe('queue.health', () => {
  it('finds a figure above its threshold, always, and one at its threshold or below, never', async () => {
    await fc.assert(
      fc.asyncProperty(states, async (state) => {
        const queue = createQueue({ broker: brokerOf(state) });

        const { findings, isHealthy } = await queue.health({ audit: true });

        const above = Object.entries(expectedOf(state)).filter(([, [figure, least]]) => figure > least);
        expect(findings.map(({ code }) => code)).toEqual(above.map(([code]) => code));
        for (const [index, [, [figure, threshold]]] of above.entries()) {
          expect(findings[index]?.figure).toBeCloseTo(figure, 10);
          expect(findings[index]?.threshold).toBe(threshold);
        }
        expect(isHealthy).toBe(above.length === 0);
      }),
    );
  });

  it('counts attempts of workers with different windows as they were counted', async () => {
    const broker = createMemoryBroker();
    const attend = (worker: string, windowMs: number, figures: { starts: number; retries: number }) => {
      const flow = { windowMs, lanes: [{ lane: 'mail@2', ends: 0, maxLatenessMs: 0, ...figures }] };
      const facts = { slots: 1, slotsTaken: 0, leases: 0, flow };
      return broker.attend({ worker, lanes: ['mail@2'], ttlMs: 3_600_000, facts });
    };
    await attend('one', WINDOW_MS, { starts: 100, retries: 0 });
    await attend('another', 1_000, { starts: 1, retries: 1 });

    const { figures, isHealthy } = await createQueue({ broker }).health();

    expect(figures.retryShare).toBe(1 / 101);
    expect(isHealthy).toBe(true);
  });

  it('takes each threshold from its option, and none that is Infinity', async () => {
    const durations = ['oldestAge', 'lateness', 'holdAge', 'eventLoopLag'] as const;
    const keys = fc.constantFrom(...durations, 'unattendedRuns' as const, 'expiredLeases' as const);
    const thresholds = fc
      .tuple(keys, fc.nat({ max: 999 }), fc.oneof(fc.integer({ min: -1, max: 1 }), fc.integer({ min: -999 })))
      .chain(([key, threshold, by]) =>
        fc.record({
          key: fc.constant(key),
          threshold: fc.constantFrom(threshold, threshold, Infinity),
          figure: fc.constant(Math.min(Math.max(0, threshold + by), 1_200)),
        }),
      );
    const field = {
      ...{ oldestAge: 'ageMs', lateness: 'latenessMs', holdAge: 'holdMs', eventLoopLag: 'lagMs' },
      ...{ unattendedRuns: 'unattended', expiredLeases: 'expired' },
    } as const;
    const off = Object.fromEntries(Object.keys(field).map((key) => [key, Infinity]));
    await fc.assert(
      fc.asyncProperty(thresholds, async ({ key, threshold, figure }) => {
        const queue = createQueue({ broker: brokerOf({ ...QUIET, [field[key]]: figure }) });

        const { findings } = await queue.health({ ...off, [key]: threshold } as HealthOptions); // the keys of `field`

        expect(findings).toMatchObject(figure > threshold ? [{ figure, threshold }] : []);
        expect(findings).toHaveLength(figure > threshold ? 1 : 0);
      }),
    );
  });

  it('says of each finding what is wrong and what to do', async () => {
    const state: State = {
      ...{ unattended: 3, ageMs: 600_000, latenessMs: 90_000, starts: 40, retries: 10, holdMs: 7_200_000 },
      ...{ lagMs: 350, expired: 2, inGroup: 150, inOthers: 50, unbalanced: 1 },
      usedBytes: 900,
    };

    const { findings } = await createQueue({ broker: brokerOf(state) }).health({ audit: true });

    expect(findings.map(({ sentence }) => sentence)).toEqual([
      '3 runs are due in lane alone@1, which no live worker knows.',
      'The audit is unbalanced by 1.',
      'The server uses 90 % of its memory (0 MiB of 0 MiB); 75 % are accepted. When it is full, it refuses submits.',
      '2 leases have expired; 0 are accepted.',
      'The next run of lane mail@2 has been claimable for 10m; 5m is accepted.',
      'A run of lane mail@2 has started 1.5m late; 1m is accepted.',
      '25 % of the attempts that start in lane mail@2 are retries; 10 % are accepted.',
      '75 % of all dead letters are in lane mail@2 and have one cause, Error: x; 50 % are accepted.',
      'Lane mail@2 has been on hold for 2h; 15m is accepted.',
      'Timers of worker w fire 350ms late; 200ms is accepted.',
    ]);
    expect(findings.map(({ level }) => level)).toEqual([
      'critical',
      'critical',
      'warning',
      ...Array(7).fill('warning'),
    ]);
    expect(findings.every(({ cure }: Finding) => cure.length > 20)).toBe(true);
  });

  it('finds a count that ended at a bound below its threshold, and says that there are more', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 3_000 }), fc.nat({ max: 3_000 }), async (unattended, unattendedRuns) => {
        const queue = createQueue({ broker: brokerOf({ ...QUIET, unattended }, false) });

        const { findings, figures } = await queue.health({ unattendedRuns });

        expect(figures.isComplete).toBe(false);
        expect(findings).toMatchObject([
          {
            ...{
              code: 'LANE_WITHOUT_WORKER',
              figure: unattended,
              isComplete: false,
              threshold: unattendedRuns,
            },
            sentence: expect.stringMatching(new RegExp(`^At least ${unattended} runs? (is|are) due in lane`)),
          },
        ]);
        expect((await queue.health({ unattendedRuns: Infinity })).isHealthy).toBe(true);
      }),
    );
  });

  it('finds expired leases whose page ended before their threshold', async () => {
    const broker = createMemoryBroker();
    const large = { name: 'Error', message: 'x'.repeat(50_000), attempt: 1, epoch: 1, at: 1 };
    const run: Run = { ...newRun({ id: 'a', lane: 'mail@2', payload: '' }), errors: [large] };
    const findExpired = async () => Array<Run>(150).fill(run);

    const { findings, figures } = await createQueue({ broker: { ...broker, findExpired } }).health({
      expiredLeases: 500,
    });

    expect(findings).toMatchObject([
      {
        ...{ code: 'EXPIRED_LEASES', figure: 150, isComplete: false },
        sentence: 'At least 150 leases have expired; 500 are accepted.',
      },
    ]);
    expect(figures).toMatchObject({ expiredLeases: 150, isComplete: false });
  });

  it('says that lanes were left out, unless that is accepted', async () => {
    const broker = createMemoryBroker();
    const lanes = Array.from({ length: 1_001 }, (_, index) => `lane-${index}@1`);
    await broker.attend({ worker: 'w', lanes, ttlMs: 3_600_000 });
    await broker.submit([{ id: 'a', lane: 'unattended@1', payload: '1' }]);
    const queue = createQueue({ broker });

    const { findings, figures } = await queue.health();

    expect(figures).toMatchObject({ lanes: 1_000, isComplete: false });
    expect(findings).toMatchObject([
      {
        ...{ code: 'MANY_LANES', level: 'warning', figure: 1_000, isComplete: false, threshold: 1_000 },
        sentence: expect.stringContaining(
          'At least 1000 lanes have runs, workers or holds; 1000 are accepted.',
        ),
      },
    ]);
    expect((await queue.health({ lanes: Infinity })).isHealthy).toBe(true);
  });

  it('reads the notes of workers and of holds once each', async () => {
    const broker = createMemoryBroker();
    const prefixes: string[] = [];
    const read: Notes['read'] = (query) => {
      prefixes.push(query.prefix);
      return broker.notes.read(query);
    };
    const source = {
      names: async () => [],
      count: async () => ({ at: NOW, counts: [] }),
      notes: { ...broker.notes, read },
    };
    const figures = figuresBy({ ...figuresOf({ broker }), lanes: (query) => reportLanes(source, query) });

    await createQueue({ broker: { ...broker, figures, notes: source.notes } }).health();

    expect(prefixes.sort()).toEqual(['hold/', 'worker/']);
  });

  it('counts at most 1 000 expired leases', async () => {
    const asked: number[] = [];
    const broker = createMemoryBroker();
    const findExpired: Broker['findExpired'] = (limit) => {
      asked.push(limit);
      return broker.findExpired(limit);
    };

    await createQueue({ broker: { ...broker, findExpired } }).health();

    expect(asked).toEqual([1_000]);
  });

  it('rejects wrong options, each with its path, before it asks', async () => {
    const queue = createQueue({ broker: createMemoryBroker() });
    const wrong = {
      oldestAge: -1,
      retryShare: 1.5,
      minStarts: 0,
      expiredLeases: 1_000,
      audit: 'yes',
      age: 1,
    };

    await expect(queue.health(wrong as unknown as HealthOptions)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      problems: expect.arrayContaining(
        Object.keys(wrong).map((path) => expect.objectContaining({ path })) as object[],
      ),
    });
  });

  it('rejects where the broker has no insight', async () => {
    const { figures: _, ...broker } = createMemoryBroker();

    await expect(createQueue({ broker }).health()).rejects.toMatchObject({
      ...{ code: 'NO_INSIGHT', name: 'InsightError' },
      message: expect.stringContaining('queue.health needs a broker with insight'),
    });
  });
});

describe('the growth of dead letters', () => {
  const grow = (growth: DeadLetterGrowth, calls: readonly (readonly [at: number, deadLetters: number])[]) =>
    calls.map(([at, deadLetters]) => growth.perMinute({ at, deadLetters }));

  it('is not known at the first call, nor within a second of it', () => {
    expect(
      grow(new DeadLetterGrowth(), [
        [0, 5],
        [999, 9],
        [1_000, 9],
      ]),
    ).toEqual([undefined, undefined, 4]);
  });

  it('is that of the last minute where calls are frequent', () => {
    const calls = Array.from(
      { length: 200 },
      (_, second) => [second * 1_000, Math.min(second, 100)] as const,
    );

    const rates = grow(new DeadLetterGrowth(), calls);

    expect(rates[50]).toBe(50); // of a minute of which ten seconds are not known yet
    expect(rates[100]).toBe(60);
    expect(rates[130]).toBe(30);
    expect(rates[199]).toBe(0);
  });

  it('is that since the call before where calls are rare, up to ten minutes', () => {
    expect(
      grow(new DeadLetterGrowth(), [
        [0, 0],
        [300_000, 10],
        [600_000, 5],
        [1_200_001, 9],
        [1_200_002, 9],
      ]),
    ).toEqual([undefined, 2, -1, undefined, undefined]);
  });

  it('remembers a bounded number of calls, and never returns what is no number', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat({ max: 700_000 }), fc.nat({ max: 1_000 })), { maxLength: 300 }),
        (steps) => {
          const growth = new DeadLetterGrowth();
          let at = 0;
          for (const [step, deadLetters] of steps) {
            at += step;
            const rate = growth.perMinute({ at, deadLetters }) ?? 0;
            expect(Number.isFinite(rate)).toBe(true);
            expect(Math.abs(rate)).toBeLessThanOrEqual(60_000);
          }
        },
      ),
    );
  });
});
