import { InvalidOptionsError } from '@retry/core';
import { closedError } from '@retry/core/broker';
import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { LONG_MS } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

/** Which errors would come again. */
export function describeRefusals(scene: Scene): void {
  describe('isRefusal', () => {
    it.each([
      new InvalidOptionsError([]),
      new TypeError('not a string'),
      new RangeError('Invalid string length'),
      Object.assign(new Error('too long'), { code: 'ERR_STRING_TOO_LONG' }),
    ])('is true of what the runtime or we refuse: %s', (error) => {
      expect(scene.broker.isRefusal(error)).toBe(true);
    });

    it.each([
      new Error('something else'),
      Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
      Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' }),
      closedError('memory'),
      undefined,
      null,
      'text',
      { code: 5 },
    ])('is false of what may pass: %s', (error) => {
      expect(scene.broker.isRefusal(error)).toBe(false);
    });

    it('is false of what cannot be looked at', () => {
      const revoked = Proxy.revocable({}, {});
      revoked.revoke();

      expect(scene.broker.isRefusal(revoked.proxy)).toBe(false);
    });

    it('is true of a settlement that ends no claim', async () => {
      const run = await scene.start('a');
      const settlement = settlementOf(run, { type: 'heartbeat', at: await scene.now() });

      const error = await scene.settle(settlement).then(String, (reason: unknown) => reason);

      expect(error).toMatchObject({ code: 'INVALID_SETTLEMENT' });
      expect(scene.broker.isRefusal(error)).toBe(true);
    });
  });

  describe('an epoch that no claim had', () => {
    it.each([-1, 0, 2, 2 ** 31 - 1, 2 ** 31, Number.MAX_SAFE_INTEGER])('is fenced: %d', async (epoch) => {
      const run = await scene.start('a');
      const settlement = settlementOf(run, { type: 'complete', at: await scene.now() });
      await scene.broker.cancel(['a']);

      const settled = await scene.settle({ ...settlement, epoch });
      const beats = await scene.broker.heartbeat([{ id: 'a', epoch }], LONG_MS);
      const requests = await scene.broker.findCancelRequests([{ id: 'a', epoch }]);

      expect({ settled, beats, requests }).toEqual({ settled: ['fenced'], beats: ['fenced'], requests: [] });
      expect(await scene.settle(settlement)).toEqual(['ok']);
    });
  });
}
