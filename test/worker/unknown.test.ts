import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { setScene } from './scene.ts';

const known = defineTask({ name: 'known', run: () => 'done' });
const unknown = defineTask({ name: 'unknown', run: () => 'done' });

describe("onUnknown: 'drop'", () => {
  it('drops what waits in lanes that the worker does not know, and runs the rest', async () => {
    const { clock, queue, startWorker } = setScene();
    await queue.submit(unknown, null, { key: 'stranger' });
    await queue.submit(known, null, { key: 'friend' });
    const dropped: unknown[] = [];

    const worker = startWorker({ tasks: [known], onUnknown: 'drop', cleanerInterval: '5s' });
    worker.on('dropped', (event) => dropped.push(event));
    await clock.advance('10s');

    expect(await queue.result('stranger')).toMatchObject({ state: 'dropped', attempts: 0 });
    expect(await queue.result('friend')).toMatchObject({ state: 'completed', result: 'done' });
    expect(dropped).toEqual([{ id: 'stranger', lane: 'unknown@1' }]);
  });

  it('drops what somebody claimed to drop and then died', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    await queue.submit(unknown, null, { key: 'stranger' });
    const lanes = new Map([[unknown.lane, 1]]);
    await broker.exchange({ claim: { worker: 'dead', requestId: '1', limit: 1, lanes, leaseMs: 1_000 } });

    startWorker({ tasks: [known], onUnknown: 'drop', cleanerInterval: '5s' });
    await clock.advance('10s');

    expect(await queue.result('stranger')).toMatchObject({ state: 'dropped' });
  });

  it('is not the default', async () => {
    const { clock, queue, startWorker } = setScene();
    await queue.submit(unknown, null, { key: 'stranger' });

    startWorker({ tasks: [known], cleanerInterval: '5s' });
    await clock.advance('1h');

    expect(await queue.result('stranger')).toMatchObject({ state: 'submitted' });
  });
});
