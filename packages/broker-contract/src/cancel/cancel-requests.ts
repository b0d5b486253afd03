import { cancelRuns, redriveRuns } from '@retry/core/broker/kit';
import { equal, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { idsIn, PASS_MS, SHORT_MS } from '../case-scene.ts';

/** How a worker finds the cancel requests for its runs. */
export const cancelRequestsCases: CasesByName = {
  'heartbeat of 0 ms answers cancel to the leases that have a cancel request, on every call': async (
    scene,
  ) => {
    await scene.submit('a', 'b', 'c');
    await scene.claim();
    await cancelRuns(scene.broker, ['a', 'c']);
    const leases = ['a', 'b', 'c'].map((id) => ({ id, epoch: 1 }));

    const answers = await scene.broker.heartbeat(leases, 0);

    equal(answers, ['cancel', 'ok', 'cancel']);
    equal(await scene.broker.heartbeat(leases, 0), answers);
    equal(await scene.broker.heartbeat([], 0), []);
  },

  'heartbeat of 0 ms is fenced for a run that waits, has ended or has another epoch, and gone for an unknown one':
    async (scene) => {
      await scene.start({ id: 'a', lane: 'm' });
      await scene.submit('waiting', 'ended');
      await cancelRuns(scene.broker, ['a', 'ended']);

      const answers = await scene.broker.heartbeat(
        [
          { id: 'unknown', epoch: 1 },
          { id: 'waiting', epoch: 0 },
          { id: 'ended', epoch: 0 },
          { id: 'a', epoch: 0 },
          { id: 'a', epoch: 2 },
        ],
        0,
      );

      equal(answers, ['gone', 'fenced', 'fenced', 'fenced', 'fenced']);
    },

  'heartbeat of 0 ms knows no cancel request after the settlement, neither for that claim nor for the next':
    async (scene) => {
      const run = await scene.start('a');
      await cancelRuns(scene.broker, ['a']);
      await scene.settleNow('fail', run);
      await redriveRuns(scene.broker, ['a']);
      await scene.claim();

      const leases = [
        { id: 'a', epoch: 1 },
        { id: 'a', epoch: 2 },
      ];
      equal(await scene.broker.heartbeat(leases, 0), ['fenced', 'ok']);
    },

  'heartbeat of 0 ms only reads: it extends no lease, revives none, and writes no heartbeatAt': async (
    scene,
  ) => {
    const run = await scene.start('a', { leaseMs: SHORT_MS });
    await scene.advance(PASS_MS);

    equal(await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], 0), ['ok']);

    strictEqual((await scene.read('a')).heartbeatAt, run.heartbeatAt);
    equal(idsIn(await scene.broker.findExpired(10)), ['a']);
  },
};
