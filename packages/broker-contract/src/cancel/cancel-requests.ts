import { cancelRuns, redriveRuns } from '@retry/core/broker/kit';
import { equal } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** How a worker finds the cancel requests for its runs. */
export const cancelRequestsCases: CasesByName = {
  'findCancelRequests returns the leases that have a cancel request, on every call': async (scene) => {
    await scene.submit('a', 'b', 'c');
    await scene.claim();
    await cancelRuns(scene.broker, ['a', 'c']);
    const leases = ['a', 'b', 'c'].map((id) => ({ id, epoch: 1 }));

    const found = await scene.broker.findCancelRequests(leases);

    equal(found, [
      { id: 'a', epoch: 1 },
      { id: 'c', epoch: 1 },
    ]);
    equal(await scene.broker.findCancelRequests(leases), found);
    equal(await scene.broker.findCancelRequests([]), []);
  },

  'findCancelRequests returns nothing for a run that is unknown, waits, has ended or has another epoch':
    async (scene) => {
      await scene.start({ id: 'a', lane: 'm' });
      await scene.submit('waiting', 'ended');
      await cancelRuns(scene.broker, ['a', 'ended']);

      const found = await scene.broker.findCancelRequests([
        { id: 'unknown', epoch: 1 },
        { id: 'waiting', epoch: 0 },
        { id: 'ended', epoch: 0 },
        { id: 'a', epoch: 0 },
        { id: 'a', epoch: 2 },
      ]);

      equal(found, []);
    },

  'findCancelRequests returns nothing after the settlement, neither for that claim nor for the next': async (
    scene,
  ) => {
    const run = await scene.start('a');
    await cancelRuns(scene.broker, ['a']);
    const at = await scene.now();
    await scene.settle(settlementOf(run, { type: 'fail', at }));
    await redriveRuns(scene.broker, ['a']);
    await scene.claim();

    const leases = [
      { id: 'a', epoch: 1 },
      { id: 'a', epoch: 2 },
    ];
    equal(await scene.broker.findCancelRequests(leases), []);
  },

  'findCancelRequests only reads: it extends no lease': async (scene) => {
    await scene.start('a', { leaseMs: SHORT_MS });
    await cancelRuns(scene.broker, ['a']);
    await scene.broker.findCancelRequests([{ id: 'a', epoch: 1 }]);
    await scene.advance(PASS_MS);

    equal(
      (await scene.broker.findExpired(10)).map(({ id }) => id),
      ['a'],
    );
  },
};

/** Cancel requests that a broker passes to a listener. */
export const cancelNotificationCases: CasesByName = {
  'onCancelRequest calls its listener for started runs only, until the listener is removed': async (
    scene,
  ) => {
    const { onCancelRequest } = scene.broker;
    if (onCancelRequest === undefined) throw new Error('the broker has no onCancelRequest');
    await scene.submit('a', 'b');
    await scene.claim();
    await scene.submit('waiting');
    const ids: string[] = [];
    const removeListener = onCancelRequest((id) => ids.push(id));

    await cancelRuns(scene.broker, ['waiting', 'a']);
    removeListener();
    await cancelRuns(scene.broker, ['b']);

    equal(ids, ['a']);
  },
};
