import type { Broker } from '@retry/core/broker';
import type { AnyTask } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { hearWarnings } from '../support/hear-warnings.ts';
import { pass, setScene } from './scene.ts';

const known = defineTask({ name: 'known', run: () => 'done' });
const unknown = defineTask({ name: 'unknown', run: () => 'done' });

/** Of lanes whose runs wait for a worker that knows them. */
const warningOf = (lanes: string): string =>
  `RETRY_UNATTENDED_LANE: runs wait in lanes that no live worker works on: ${lanes}`;

describe("onUnknown: 'drop'", () => {
  it('drops what waits in lanes that the worker does not know, and runs the rest', async () => {
    const { clock, queue, startWorker } = setScene();
    await queue.submit(unknown, null, { key: 'stranger' });
    await queue.submit(known, null, { key: 'friend' });
    const dropped: unknown[] = [];

    const worker = startWorker({ tasks: [known], onUnknown: 'drop', cleanerInterval: '5s' });
    worker.on('dropped', (event) => dropped.push(event));
    await clock.advance('10s');

    expect(await queue.result('unknown@stranger')).toMatchObject({ state: 'dropped', attempts: 0 });
    expect(await queue.result('known@friend')).toMatchObject({ state: 'completed', result: 'done' });
    expect(dropped).toEqual([{ id: 'unknown@stranger', lane: 'unknown@1' }]);
  });

  it('drops what another worker claimed to drop and then crashed', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    await queue.submit(unknown, null, { key: 'stranger' });
    const lanes = new Map([[unknown.lane, 1]]);
    await broker.exchange({
      claim: { worker: 'dead', requestId: '1', limit: 1, lanes, leaseMs: 1_000 },
    });

    startWorker({ tasks: [known], onUnknown: 'drop', cleanerInterval: '5s' });
    await clock.advance('10s');

    expect(await queue.result('unknown@stranger')).toMatchObject({ state: 'dropped' });
  });

  it.each([true, false])(
    'leaves alone what another live worker knows: waiting and expired runs (figures: %s)',
    async (hasFigures) => {
      const { clock, broker: full, queue, startWorker } = setScene();
      const { figures: _, ...bare } = full;
      const broker = hasFigures ? full : bare;
      const slow = defineTask({ name: 'slow', run: () => pass(clock, 1_000) });
      const other = startWorker({ tasks: [slow], concurrency: 1, cleanerInterval: '5s' });
      startWorker({ tasks: [known], broker, onUnknown: 'drop', cleanerInterval: '1s' });
      await clock.advance('1s');
      const submitted = await queue.submitMany(
        slow,
        Array.from({ length: 20 }, () => null),
      );
      const lanes = new Map([[slow.lane, 1]]);
      await full.exchange({
        claim: { worker: 'dead', requestId: '1', limit: 1, lanes, leaseMs: 1_000 },
      });
      await queue.submit(unknown, null, { key: 'stranger' });

      await clock.advance('1m');

      const states = await Promise.all(submitted.map(async ({ id }) => (await queue.get(id))?.state));
      expect(new Set(states)).toEqual(new Set(['completed']));
      expect(await queue.result('unknown@stranger')).toMatchObject({ state: 'dropped' });
      expect(other.emittedOf('error')).toEqual([]);
    },
  );

  it.each([true, false])(
    'drops no more than the page that it has claimed once a worker for the lanes has started (figures: %s)',
    async (hasFigures) => {
      const { clock, broker: full, queue, startWorker } = setScene();
      const { figures: _, ...bare } = full;
      const later = defineTask({ name: 'unknown-too', run: () => 'done' });
      let isStarted = false;
      const exchange: Broker['exchange'] = async (request) => {
        const reply = await full.exchange(request);
        const isDropping = reply.claimed.some(({ run }) => run.lane !== known.lane);
        if (isDropping && !isStarted) {
          isStarted = true;
          await full.attend({ worker: 'new', lanes: [unknown.lane, later.lane], ttlMs: 3_600_000 });
        }
        return reply;
      };
      for (const task of [unknown, later]) await queue.submitMany(task, Array(2_500).fill(null));

      const broker = { ...(hasFigures ? full : bare), exchange };
      const worker = startWorker({ tasks: [known], broker, onUnknown: 'drop', cleanerInterval: '5s' });
      await clock.advance('1m');

      expect(isStarted).toBe(true);
      expect((await full.audit()).ended.dropped).toBe(1_000);
      expect(worker.emittedOf('error')).toEqual([]);
    },
  );

  it('is not the default', async () => {
    const { clock, queue, startWorker } = setScene();
    await queue.submit(unknown, null, { key: 'stranger' });
    const warnings = hearWarnings();

    startWorker({ tasks: [known], cleanerInterval: '5s' });
    await clock.advance('1h');

    expect(warnings).toEqual([warningOf('unknown@1')]);
    expect(await queue.result('unknown@stranger')).toMatchObject({ state: 'submitted' });
  });
});

describe("a task's onUnknown: 'drop'", () => {
  const versions = (['1', '2', '3'] as const).map((version) =>
    defineTask({ name: 'moved', version, onUnknown: 'drop', run: () => 'done' }),
  );
  const [first, second, third] = versions as [AnyTask, AnyTask, AnyTask]; // three of them

  it('drops runs of its versions that no live worker knows, and nothing else', async () => {
    const { clock, queue, startWorker } = setScene();
    const dropped: string[] = [];
    const warnings = hearWarnings();
    for (const task of [first, third]) {
      const worker = startWorker({ tasks: [task], cleanerInterval: '5s' });
      worker.on('dropped', ({ lane }) => void dropped.push(lane));
    }
    await clock.advance('1s');
    const { id: lost } = await queue.submit(second, null);
    const { id: done } = await queue.submit(third, null);
    const { id: stranger } = await queue.submit(unknown, null);

    await clock.advance('20s');

    expect(dropped).toEqual(['moved@2']);
    expect(warnings[0]).toBe(warningOf('moved@2, unknown@1'));
    expect(await queue.get(lost)).toMatchObject({ state: 'dropped' });
    expect(await queue.get(done)).toMatchObject({ state: 'completed' });
    expect(await queue.get(stranger)).toMatchObject({ state: 'submitted' });
  });
});

describe("a task's onUnknown: 'drop', where nothing waits", () => {
  const at = (version: string) =>
    defineTask({ name: 'moved', version, onUnknown: 'drop', run: () => 'done' });

  it('drops the run that the last worker of its version was executing, and no other', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const { id } = await queue.submit(at('1'), null);
    const { id: stranger } = await queue.submit(unknown, null);
    const lanes = new Map([at('1'), unknown].map(({ lane }) => [lane, 1]));
    await broker.exchange({
      claim: { worker: 'dead', requestId: '1', limit: 2, lanes, leaseMs: 1_000 },
    });

    startWorker({ tasks: [at('2')], cleanerInterval: '5s' });
    await clock.advance('20s');

    expect(await queue.get(id)).toMatchObject({ state: 'dropped' });
    expect(await queue.get(stranger)).toMatchObject({ state: 'started' });
  });

  it('leaves the run to the cleaner of a live worker that knows its version', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const { id } = await queue.submit(at('1'), null);
    const lanes = new Map([[at('1').lane, 1]]);
    await broker.exchange({
      claim: { worker: 'dead', requestId: '1', limit: 1, lanes, leaseMs: 1_000 },
    });
    startWorker({ tasks: [at('1')], cleanerInterval: '10s' });

    startWorker({ tasks: [at('2')], cleanerInterval: '1s' });
    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', stalls: 1 });
  });
});

describe('a run that a broker returns before it is due', () => {
  const handedOutEarly = async (minRequeueDelay: '5s' | undefined) => {
    const { clock, broker, queue, startWorker } = setScene();
    const hasty: Broker = {
      ...broker,
      exchange: async (request) => {
        const reply = await broker.exchange(request);
        const early = clock.now() < 1_000 ? 2_000 : 0;
        const claimed = reply.claimed.map(({ run, ...rest }) => ({ ...rest, run: { ...run, runAt: early } }));
        return { ...reply, claimed };
      },
    };
    const startedAt: number[] = [];
    const run = () => void startedAt.push(clock.now());
    const task = defineTask({ name: 'early', minRequeueDelay, run });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task], broker: hasty });
    await clock.advance('1m');
    return { startedAt, run: await queue.get(id) };
  };

  it('is put back for minRequeueDelay at least, uncharged', async () => {
    const { startedAt, run } = await handedOutEarly('5s');

    expect(startedAt).toEqual([5_000]);
    expect(run).toMatchObject({ state: 'completed', failures: 0, stalls: 0 });
  });

  it('starts without minRequeueDelay', async () => {
    const { startedAt } = await handedOutEarly(undefined);

    expect(startedAt).toEqual([0]);
  });
});
