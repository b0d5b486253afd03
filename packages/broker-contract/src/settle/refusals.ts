import { InvalidOptionsError } from '@retry/core';
import { cancelRuns } from '@retry/core/broker/kit';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { LONG_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** Which errors are permanent, and settlements of unknown epochs. */
export const refusalsCases: CasesByName = {
  'isRefusal is true for input that the runtime or the broker refuses': /* @__PURE__ */ each(
    () => [
      new InvalidOptionsError([]),
      new TypeError('not a string'),
      new RangeError('Invalid string length'),
      Object.assign(new Error('too long'), { code: 'ERR_STRING_TOO_LONG' }),
    ],
    async (scene, error) => {
      strictEqual(scene.broker.isRefusal(error), true);
    },
  ),

  'isRefusal is false for errors that may pass': /* @__PURE__ */ each(
    () => [
      new Error('something else'),
      Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
      Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' }),
      Object.assign(new Error('the broker is closed'), { code: 'BROKER_CLOSED' }),
      undefined,
      null,
      'text',
      { code: 5 },
    ],
    async (scene, error) => {
      strictEqual(scene.broker.isRefusal(error), false);
    },
  ),

  'isRefusal is false for a revoked proxy': async (scene) => {
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();

    strictEqual(scene.broker.isRefusal(revoked.proxy), false);
  },

  'isRefusal is true for a settlement that does not end its claim': async (scene) => {
    const run = await scene.start('a');
    const settlement = settlementOf(run, { type: 'heartbeat', at: await scene.now() });

    const error = await scene.settle(settlement).then(String, (reason: unknown) => reason);

    matches(error, { code: 'INVALID_SETTLEMENT' });
    strictEqual(scene.broker.isRefusal(error), true);
  },

  'a settlement, a heartbeat and a query of an unclaimed epoch are fenced': /* @__PURE__ */ each(
    () => [-1, 0, 2, 2 ** 31 - 1, 2 ** 31, Number.MAX_SAFE_INTEGER],
    async (scene, epoch) => {
      const run = await scene.start('a');
      const settlement = settlementOf(run, { type: 'complete', at: await scene.now() });
      await cancelRuns(scene.broker, ['a']);

      const settled = await scene.settle({ ...settlement, epoch });
      const heartbeats = await scene.broker.heartbeat([{ id: 'a', epoch }], LONG_MS);
      const requests = await scene.broker.heartbeat([{ id: 'a', epoch }], 0);

      equal([settled, heartbeats, requests], [['fenced'], ['fenced'], ['fenced']]);
      equal(await scene.settle(settlement), ['ok']);
    },
  ),
};
