import { createWorker, defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { setScene } from './scene.ts';

const known = defineTask({ name: 'known', run: () => 'done' });
const unknown = defineTask({ name: 'unknown', run: () => 'done' });

describe('worker.whenIdle', () => {
  /** A worker, and a run that it does not know. */
  const setUnknown = async () => {
    const scene = setScene();
    await scene.queue.submit(unknown, null);
    return { ...scene, worker: scene.startWorker({ tasks: [known] }) };
  };

  it('ends by its signal, with its reason, and its worker keeps working', async () => {
    const { clock, queue, worker } = await setUnknown();
    const controller = new AbortController();

    const rejected = expect(worker.whenIdle({ signal: controller.signal })).rejects.toBe('too long');
    await clock.advance('1s');
    controller.abort('too long');
    await rejected;
    const done = queue.submitAndWait(known, null);
    await clock.advance('1s');

    expect(await done).toBe('done');
  });

  it('ends by its signal while the broker does not answer', async () => {
    const { clock, broker } = setScene();
    const silent = { ...broker, audit: () => new Promise<never>(() => {}) };
    const worker = createWorker({ broker: silent, clock, tasks: [known], signals: [] });
    const controller = new AbortController();

    const rejected = expect(worker.whenIdle({ signal: controller.signal })).rejects.toBe('too long');
    controller.abort('too long');

    await rejected;
  });

  it('does not begin to wait once its signal has aborted', async () => {
    const { worker } = await setUnknown();

    await expect(worker.whenIdle({ signal: AbortSignal.abort('late') })).rejects.toBe('late');
  });

  it('resolves as without a signal', async () => {
    const { clock, queue, startWorker } = setScene();
    const worker = startWorker({ tasks: [known] });
    const { id } = await queue.submit(known, null);

    const idle = worker.whenIdle({ signal: new AbortController().signal });
    await clock.advance('1s');
    await idle;

    expect(await queue.get(id)).toMatchObject({ state: 'completed' });
  });

  it('rejects wrong options', async () => {
    const { startWorker } = setScene();
    const worker = startWorker({ tasks: [known] });

    await expect(worker.whenIdle({ signal: 'no', timeout: 5 } as never)).rejects.toMatchObject({
      problems: [{ path: 'timeout' }, { path: 'signal' }],
    });
  });
});
