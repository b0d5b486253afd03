import type { LiveWorker, WorkerFacts } from '@retry/core/broker';
import { listWorkers, newRun } from '@retry/core/broker/kit';
import { defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FlowCounts } from '../../packages/worker/src/engine/attendance/worker-report.ts';
import { setScene } from './scene.ts';

const done = defineTask({ name: 'done', run: () => 'done' });
const retried = defineTask({
  name: 'retried',
  retry: { maxAttempts: 2, backoff: { type: 'constant', base: '1s' }, jitter: 'none' },
  run: (_, { attempt }) => {
    if (attempt === 1) throw new Error('once more');
  },
});
const endless = defineTask({ name: 'endless', run: () => new Promise<never>(() => {}) });

describe('a worker that attends', () => {
  it('says where it runs and how much it works on', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const startedAt = clock.now();
    await queue.submitMany(endless, [null, null, null]);
    startWorker({ tasks: [endless], name: 'w', concurrency: 5, cleanerInterval: '5s' });
    await clock.advance('6s');

    const [worker] = await listWorkers(broker);

    expect(worker).toMatchObject({ worker: 'w', lanes: ['endless@1'] });
    expect(worker?.facts).toMatchObject({
      ...{ pid: process.pid, slots: 5, slotsTaken: 3, leases: 3 },
      host: expect.any(String),
    });
    expect(worker?.facts?.startedAt).toBeGreaterThanOrEqual(startedAt);
  });

  it('says what it did in each lane since it attended before', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    startWorker({ tasks: [done, retried], name: 'w', cleanerInterval: '5s' });
    await clock.advance('1s');
    await queue.submitMany(done, [null, null, null]);
    await queue.submit(retried, null);
    await clock.advance('5s');

    expect(flowOf(await listWorkers(broker))).toEqual({
      windowMs: 5_000,
      lanes: {
        'done@1': { starts: 3, retries: 0, ends: 3 },
        'retried@1': { starts: 2, retries: 1, ends: 1 },
      },
    });
    await clock.advance('5s');
    expect(flowOf(await listWorkers(broker))).toEqual({ windowMs: 5_000, lanes: {} });
  });

  it('says how late the latest start was', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    await queue.submit(done, null);
    await clock.advance('3s');
    startWorker({ tasks: [done], name: 'w', cleanerInterval: '5s' });
    await clock.advance('6s');

    const [worker] = await listWorkers(broker);

    expect(worker?.facts?.flow?.lanes[0]?.maxLatenessMs).toBeGreaterThanOrEqual(3_000);
  });

  it('says what the broker did not learn of once more', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    let isDown = false;
    const failing: typeof broker = {
      ...broker,
      attend: (attendance) => (isDown ? Promise.reject(new Error('down')) : broker.attend(attendance)),
    };
    const worker = startWorker({ broker: failing, tasks: [done], name: 'w', cleanerInterval: '5s' });
    worker.on('error', () => {});
    await clock.advance('1s');
    isDown = true;
    await queue.submitMany(done, [null, null]);
    await clock.advance('5s');
    isDown = false;
    await queue.submit(done, null);
    await clock.advance('5s');

    expect(flowOf(await listWorkers(broker))).toEqual({
      windowMs: 10_000,
      lanes: { 'done@1': { starts: 3, retries: 0, ends: 3 } },
    });
  });

  it('gives the rates of its lanes', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    startWorker({ tasks: [done], name: 'w', cleanerInterval: '5s' });
    await queue.submitMany(
      done,
      Array.from({ length: 50 }, () => null),
    );
    await clock.advance('5s');

    const report = (await broker.figures?.({ lanes: {} }))?.lanes;

    expect(report?.lanes).toMatchObject([
      { lane: 'done@1', workers: 1, rates: { starts: { perSecond: 10 }, out: { perSecond: 10 } } },
    ]);
  });

  it('is no longer listed when it has stopped', async () => {
    const { clock, broker, startWorker } = setScene();
    const worker = startWorker({ tasks: [done], name: 'w' });
    await clock.advance('1s');
    expect(await listWorkers(broker)).toHaveLength(1);
    await worker.stop();

    expect(await listWorkers(broker)).toEqual([]);
  });

  it('is no longer listed when it has stopped, also if a registration was under way', async () => {
    const { clock, broker, startWorker } = setScene();
    const slow: typeof broker.attend = async (attendance) => {
      if (attendance !== undefined && attendance.ttlMs > 0)
        await new Promise<void>((resolve) => void clock.setTimer(resolve, 100));
      return broker.attend(attendance);
    };
    const worker = startWorker({
      ...{ tasks: [done], name: 'w', cleanerInterval: '1s' },
      broker: { ...broker, attend: slow },
    });
    await clock.advance(1_050);

    const stopped = worker.stop();
    await clock.advance('1s');
    await stopped;

    expect(await listWorkers(broker)).toEqual([]);
  });
});

describe('what a worker did', () => {
  const counted = fc.record({
    lane: fc.constantFrom('x', 'y'),
    failures: fc.nat(2),
    latenessMs: fc.nat(1_000),
    ends: fc.boolean(),
  });
  const steps = fc.array(fc.oneof(counted, fc.constantFrom('take', 'lose')));

  it('is the same in sum, whichever of its reports are lost', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const flow = new FlowCounts(0);
        const got = { starts: 0, retries: 0, ends: 0, windowMs: 0 };
        const take = (now: number, isLost: boolean): void => {
          const taken = flow.take(now);
          if (isLost) taken.restore();
          else add(got, taken.flow);
        };
        for (const [now, step] of all.entries()) {
          if (typeof step === 'string') take(now, step === 'lose');
          else {
            flow.noteStart({ ...RUN, lane: step.lane, failures: step.failures }, step.latenessMs);
            if (step.ends) flow.noteEnd(step.lane);
          }
        }
        take(all.length, false);

        const starts = all.filter((step) => typeof step !== 'string');
        expect(got).toEqual({
          starts: starts.length,
          retries: starts.filter(({ failures }) => failures > 0).length,
          ends: starts.filter(({ ends }) => ends).length,
          windowMs: all.length,
        });
      }),
    );
  });
});

type Flow = NonNullable<WorkerFacts['flow']>;

const RUN = newRun({ id: 'r', lane: 'x', payload: '' });

function add(
  sum: { starts: number; retries: number; ends: number; windowMs: number },
  { windowMs, lanes }: Flow,
): void {
  sum.windowMs += windowMs;
  for (const { starts, retries, ends } of lanes) {
    sum.starts += starts;
    sum.retries += retries;
    sum.ends += ends;
  }
}

/** What the only worker did, by lane, without how late. */
function flowOf([worker]: readonly LiveWorker[]) {
  const { windowMs, lanes = [] } = worker?.facts?.flow ?? {};
  return {
    windowMs,
    lanes: Object.fromEntries(
      lanes.map(({ lane, starts, retries, ends }) => [lane, { starts, retries, ends }]),
    ),
  };
}
