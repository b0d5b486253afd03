import { InvalidOptionsError } from '@retry/core';
import { closedError } from '@retry/core/broker';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { LONG_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** Which errors would come again. */
export const refusalsCases: CasesByName = {
  'isRefusal is true of what the runtime or we refuse': /* @__PURE__ */ each(
    [
      new InvalidOptionsError([]),
      new TypeError('not a string'),
      new RangeError('Invalid string length'),
      Object.assign(new Error('too long'), { code: 'ERR_STRING_TOO_LONG' }),
    ],
    async (scene, error) => {
      strictEqual(scene.broker.isRefusal(error), true);
    },
  ),

  'isRefusal is false of what may pass': /* @__PURE__ */ each(
    [
      new Error('something else'),
      Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
      Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' }),
      closedError('memory'),
      undefined,
      null,
      'text',
      { code: 5 },
    ],
    async (scene, error) => {
      strictEqual(scene.broker.isRefusal(error), false);
    },
  ),

  'isRefusal is false of what cannot be looked at': async (scene) => {
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();

    strictEqual(scene.broker.isRefusal(revoked.proxy), false);
  },

  'isRefusal is true of a settlement that ends no claim': async (scene) => {
    const run = await scene.start('a');
    const settlement = settlementOf(run, { type: 'heartbeat', at: await scene.now() });

    const error = await scene.settle(settlement).then(String, (reason: unknown) => reason);

    matches(error, { code: 'INVALID_SETTLEMENT' });
    strictEqual(scene.broker.isRefusal(error), true);
  },

  'an epoch that no claim had is fenced': /* @__PURE__ */ each(
    [-1, 0, 2, 2 ** 31 - 1, 2 ** 31, Number.MAX_SAFE_INTEGER],
    async (scene, epoch) => {
      const run = await scene.start('a');
      const settlement = settlementOf(run, { type: 'complete', at: await scene.now() });
      await scene.broker.cancel(['a']);

      const settled = await scene.settle({ ...settlement, epoch });
      const beats = await scene.broker.heartbeat([{ id: 'a', epoch }], LONG_MS);
      const requests = await scene.broker.findCancelRequests([{ id: 'a', epoch }]);

      equal({ settled, beats, requests }, { settled: ['fenced'], beats: ['fenced'], requests: [] });
      equal(await scene.settle(settlement), ['ok']);
    },
  ),
};
