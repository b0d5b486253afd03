import type { Broker } from '@retry/core/broker';
import { createWorker, defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { never, setScene } from './scene.ts';

const REFUSED = 'maxmemory-policy is allkeys-lru. Use noeviction.';

/** The broker of a scene whose `ready` rejects while there is a cause; counts all other calls. */
function setGuarded() {
  const scene = setScene();
  const state: { cause: string | undefined; calls: number } = { cause: REFUSED, calls: 0 };
  const counted = <Key extends 'attend' | 'exchange' | 'findExpired'>(verb: Key): Broker[Key] =>
    ((...parameters: never[]) => {
      state.calls += 1;
      return (scene.broker[verb] as (...parameters: never[]) => unknown)(...parameters);
    }) as Broker[Key]; // the same parameters and result
  const broker: Broker = {
    ...scene.broker,
    attend: counted('attend'),
    exchange: counted('exchange'),
    findExpired: counted('findExpired'),
    ready: async () => {
      if (state.cause !== undefined) throw new Error(state.cause);
    },
  };
  return { ...scene, broker, state };
}

describe('a worker whose broker cannot serve', () => {
  const task = defineTask({ name: 'mail', run: () => 'sent' });

  it('reports the cause once, and calls nothing else', async () => {
    const { clock, broker, state, startWorker } = setGuarded();
    const worker = startWorker({ tasks: [task], broker });

    await clock.advance('5m');

    expect(worker.emittedOf('error')).toMatchObject([{ doing: 'starting', error: { message: REFUSED } }]);
    expect(state.calls).toBe(0);
  });

  it('reports another cause, too', async () => {
    const { clock, broker, state, startWorker } = setGuarded();
    const worker = startWorker({ tasks: [task], broker });
    await clock.advance('1m');

    state.cause = 'ECONNREFUSED';
    await clock.advance('5m');

    expect(worker.emittedOf('error').map(({ error }) => (error as Error).message)).toEqual([
      REFUSED,
      'ECONNREFUSED',
    ]);
  });

  it('works once the broker can serve', async () => {
    const { clock, queue, broker, state, startWorker } = setGuarded();
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task], broker });
    await clock.advance('5m');
    expect(await queue.get(id)).toMatchObject({ state: 'submitted' });

    state.cause = undefined;
    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed' });
  });

  it('stops while it waits for the broker', async () => {
    const { clock, broker } = setGuarded();
    const worker = createWorker({ broker: { ...broker, ready: never }, clock, tasks: [task], signals: [] });
    worker.start();
    await clock.advance('1m');

    await worker.stop();
  });
});
