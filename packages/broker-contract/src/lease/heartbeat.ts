import { cancelRuns } from '@retry/core/broker/kit';
import { atLeast, equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { idsIn, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';

/** What a heartbeat does and answers. */
export const heartbeatCases: CasesByName = {
  'heartbeat extends a lease': async (scene) => {
    await scene.start('a', { leaseMs: SHORT_MS });

    const answers = await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS);

    await scene.advance(PASS_MS);
    equal(answers, ['ok']);
    equal(await scene.broker.findExpired(10), []);
  },

  'heartbeat never shrinks a lease': async (scene) => {
    await scene.start('a', { leaseMs: LONG_MS });

    const answers = await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], SHORT_MS);

    await scene.advance(PASS_MS);
    equal(answers, ['ok']);
    equal(await scene.broker.findExpired(10), []);
  },

  'heartbeat revives an expired lease of a run that was not recovered': async (scene) => {
    await scene.start('a', { leaseMs: SHORT_MS });
    await scene.advance(PASS_MS);

    const answers = await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS);

    equal(answers, ['ok']);
    equal(await scene.broker.findExpired(10), []);
  },

  'heartbeat writes heartbeatAt': async (scene) => {
    await scene.start('a');
    await scene.advance(5);
    const now = await scene.now();

    await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS);

    const run = await scene.read('a');
    matches(run, { state: 'started', epoch: 1 });
    atLeast(run.heartbeatAt, now);
  },

  'heartbeat answers cancel while there is a cancel request': async (scene) => {
    await scene.start('a');
    await cancelRuns(scene.broker, ['a']);

    equal(await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS), ['cancel']);
    equal(await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS), ['cancel']);
    strictEqual((await scene.read('a')).state, 'started');
  },

  'heartbeat is fenced after the settlement': async (scene) => {
    await scene.settleNow('complete', await scene.start('a'));

    equal(await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS), ['fenced']);
  },

  'heartbeat is fenced for an earlier epoch, and does not extend the current lease': async (scene) => {
    await scene.settleNow('release', await scene.start('a'));
    await scene.claim({ leaseMs: SHORT_MS });

    const answers = await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS);

    await scene.advance(PASS_MS);
    equal(answers, ['fenced']);
    equal(idsIn(await scene.broker.findExpired(10)), ['a']);
  },

  'heartbeat answers a whole batch in order': async (scene) => {
    await scene.submit('waiting');
    await scene.start({ id: 'a', lane: 'm' });

    const answers = await scene.broker.heartbeat(
      [
        { id: 'unknown', epoch: 1 },
        { id: 'a', epoch: 1 },
        { id: 'waiting', epoch: 0 },
        { id: 'a', epoch: 2 },
      ],
      LONG_MS,
    );

    equal(answers, ['gone', 'ok', 'fenced', 'fenced']);
    equal(await scene.broker.heartbeat([], LONG_MS), []);
  },
};
