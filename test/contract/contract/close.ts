import { isRetryError } from '@retry/core';
import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { LONG_MS } from '../../support/broker-scene.ts';

/** What a closed broker does. */
export function describeClose(scene: Scene): void {
  describe('close', () => {
    it('makes every later call reject, saying why', async () => {
      const { broker } = scene;

      await broker.close();

      const claim = { worker: 'w', requestId: 'r', limit: 1, lanes: new Map([['l', 1]]), leaseMs: LONG_MS };
      const calls = [
        () => broker.submit([{ id: 'a', lane: 'l', payload: '{}' }]),
        () => broker.settleAndClaim({ claim }),
        () => broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS),
        () => broker.findExpired(1),
        () => broker.cancel(['a']),
        () => broker.redrive(['a']),
        () => broker.discard(['a']),
        () => broker.get(['a']),
        () => broker.list({ state: 'failed', limit: 1 }),
        () => broker.waitForWork(['l'], { timeoutMs: LONG_MS }),
        () => broker.findCancelRequests([{ id: 'a', epoch: 1 }]),
        () => broker.waitForResult({ timeoutMs: LONG_MS }),
        () => broker.attend({ worker: 'w', lanes: ['l'], ttlMs: LONG_MS }),
        () => broker.audit(),
      ];
      for (const call of calls) {
        await expect(call()).rejects.toSatisfy((error) => isRetryError(error, 'BROKER_CLOSED'));
      }
    });

    it('may be called again', async () => {
      await scene.broker.close();

      await expect(scene.broker.close()).resolves.toBeUndefined();
    });

    it('ends waits for results', async () => {
      const waiting = scene.broker.waitForResult({ timeoutMs: LONG_MS }).then(
        () => 'ended',
        () => 'ended',
      );

      await scene.broker.close();

      expect(await waiting).toBe('ended');
    });

    it('waits for what is under way, and ends waits for work', async () => {
      const submitting = scene.broker.submit([{ id: 'a', lane: 'm', payload: '{}' }]).catch(() => ['closed']);
      const waiting = scene.broker.waitForWork(['l'], { timeoutMs: LONG_MS }).catch(() => undefined);

      await scene.broker.close();

      await waiting;
      expect([['created'], ['closed']]).toContainEqual(await submitting);
    });
  });
}
