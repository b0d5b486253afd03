import type { Attendance } from '@retry/core/broker';
import type { WorkerEvents } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { setScene } from './scene.ts';

const known = defineTask({ name: 'known', run: () => 'done' });
const unknown = defineTask({ name: 'unknown', run: () => 'done' });
const other = defineTask({ name: 'other', run: () => 'done' });

const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});

afterEach(() => {
  warn.mockClear();
});
afterAll(() => warn.mockRestore());

type Unattended = WorkerEvents['unattended'];

describe('a lane that no live worker works on', () => {
  it('is an event once it has waiting runs, once for each change, and one warning', async () => {
    const { clock, queue, startWorker } = setScene();
    const events: Unattended[] = [];
    const worker = startWorker({ tasks: [known], cleanerInterval: '5s' });
    worker.on('unattended', (event) => events.push(event));
    await clock.advance('1m');
    expect(events).toEqual([]);

    await queue.submitMany(unknown, [null, null]);
    await clock.advance('1m');

    expect(events).toEqual([{ lanes: [{ lane: 'unknown@1', waiting: 2 }] }]);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledWith(
      expect.stringContaining('unknown@1'),
      expect.objectContaining({ code: 'RETRY_UNATTENDED_LANE' }),
    );
    await queue.submit(unknown, null);
    await clock.advance('1m');
    expect(events).toHaveLength(1);
    await queue.submit(other, null);
    await clock.advance('1m');
    expect(
      events
        .at(-1)
        ?.lanes.map(({ lane }) => lane)
        .sort(),
    ).toEqual(['other@1', 'unknown@1']);
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it('is warned of once a minute at most, however often it changes', async () => {
    const { clock, queue, startWorker } = setScene();
    startWorker({ tasks: [known], cleanerInterval: '1s' });
    for (let version = 1; version <= 20; version += 1) {
      await queue.submit(defineTask({ name: 'changing', version: String(version), run: () => {} }), null);
      await clock.advance('2s');
    }

    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('is not reported while a live worker works on it, and is again when that has stopped', async () => {
    const { clock, queue, startWorker } = setScene();
    const events: Unattended[] = [];
    const busy = defineTask({ name: 'busy', maxConcurrent: 1, run: () => new Promise<never>(() => {}) });
    await queue.submitMany(busy, [null, null, null]);
    const owner = startWorker({ tasks: [busy], onUnknown: 'wait', shutdownTimeout: '1s' });
    const watcher = startWorker({ tasks: [known], cleanerInterval: '5s' });
    watcher.on('unattended', (event) => events.push(event));
    await clock.advance('5m');
    expect(events).toEqual([]);

    const stopped = owner.stop();
    await clock.advance('6s');
    await stopped;

    expect(events).toMatchObject([{ lanes: [{ lane: 'busy@1' }] }]);
  });

  it('is not reported by a worker that drops unknown runs', async () => {
    const { clock, queue, startWorker } = setScene();
    const events: Unattended[] = [];
    const worker = startWorker({ tasks: [known], onUnknown: 'drop', cleanerInterval: '5s' });
    worker.on('unattended', (event) => events.push(event));
    await queue.submit(unknown, null);

    await clock.advance('1m');

    expect(events).toEqual([]);
    expect(warn).not.toHaveBeenCalled();
  });
});

describe('a worker', () => {
  it('registers when it starts and at every cleaner interval, and unregisters when it stops', async () => {
    const { clock, broker, startWorker } = setScene();
    const attended: (Attendance | undefined)[] = [];
    const attend: typeof broker.attend = (attendance) => {
      attended.push(attendance);
      return broker.attend(attendance);
    };
    const worker = startWorker({
      tasks: [known, other],
      broker: { ...broker, attend },
      cleanerInterval: '5s',
      name: 'ada',
    });
    await clock.advance('11s');

    const stopped = worker.stop();
    await clock.advance(1);
    await stopped;

    const alive = { worker: 'ada', lanes: ['known@1', 'other@1'], ttlMs: 15_000 };
    expect(attended.map((attendance) => ({ ...attendance, facts: undefined }))).toEqual([
      alive,
      alive,
      alive,
      { ...alive, ttlMs: 0 },
    ]);
  });

  it('works and stops although it cannot register, and reports that', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const attend = () => Promise.reject(new Error('no route'));
    const { id } = await queue.submit(known, null);
    const worker = startWorker({ tasks: [known], broker: { ...broker, attend }, cleanerInterval: '5s' });
    await clock.advance('6s');

    const stopped = worker.stop();
    await clock.advance(1);
    await stopped;

    expect(await queue.get(id)).toMatchObject({ state: 'completed' });
    expect(worker.emittedOf('error').map(({ doing }) => doing)).toEqual([
      'attending',
      'attending',
      'attending',
    ]);
  });
});
