import { isRetryError } from '@retry/core';
import { cancelRuns, discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { LONG_MS } from '../case-scene.ts';

/** What a closed broker does. */
export const closeCases: CasesByName = {
  'close makes every later call reject with BROKER_CLOSED': async (scene) => {
    const { broker } = scene;

    await broker.close();

    const claim = { worker: 'w', requestId: 'r', limit: 1, lanes: new Map([['l', 1]]), leaseMs: LONG_MS };
    const calls = [
      () => broker.submit([{ id: 'a', lane: 'l', payload: '{}' }]),
      () => broker.exchange({ claim }),
      () => broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS),
      () => broker.findExpired(1),
      () => cancelRuns(broker, ['a']),
      () => redriveRuns(broker, ['a']),
      () => discardRuns(broker, ['a']),
      () => broker.get(['a']),
      () => broker.list({ state: 'failed', limit: 1 }),
      () => broker.wait({ lanes: ['l'], timeoutMs: LONG_MS }),
      () => broker.heartbeat([{ id: 'a', epoch: 1 }], 0),
      () => broker.wait({ results: true, timeoutMs: LONG_MS }),
      () => broker.attend({ worker: 'w', lanes: ['l'], ttlMs: LONG_MS }),
      () => broker.audit(),
    ];
    for (const call of calls) {
      const error: unknown = await call().catch((reason: unknown) => reason);

      strictEqual(isRetryError(error, 'BROKER_CLOSED'), true);
    }
  },

  'close can be called again': async (scene) => {
    await scene.broker.close();

    strictEqual(await scene.broker.close(), undefined);
  },

  'close ends waits for results': async (scene) => {
    const waiting = scene.broker.wait({ results: true, timeoutMs: LONG_MS }).then(
      () => 'ended',
      () => 'ended',
    );

    await scene.broker.close();

    strictEqual(await waiting, 'ended');
  },

  'close waits for calls in flight, and ends waits for work': async (scene) => {
    const submitting = scene.broker.submit([{ id: 'a', lane: 'm', payload: '{}' }]).catch(() => ['closed']);
    const waiting = scene.broker.wait({ lanes: ['l'], timeoutMs: LONG_MS }).catch(() => undefined);

    await scene.broker.close();

    await waiting;
    const [answer] = await submitting;
    strictEqual(answer === 'created' || answer === 'closed', true);
  },
};
