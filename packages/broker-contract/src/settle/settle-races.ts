import type { Run } from '@retry/core/broker';
import { discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** Whose settlement is accepted when several settle one run: that of the current epoch, once. */
export const settleRacesCases: CasesByName = {
  'settle answers already for a settlement whose reply was lost': async (scene) => {
    const run = await scene.start('a');
    const settlement = settlementOf(run, { type: 'complete', at: await scene.now() }, { result: '1' });
    await scene.settle(settlement);

    equal(await scene.settle(settlement), ['already']);
    matches(await scene.read('a'), { state: 'completed', result: '1' });
  },

  'settle answers already for a repeated retry, and charges it once': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();
    const settlement = settlementOf(run, { type: 'retry', at, runAt: at });
    await scene.settle(settlement);

    equal(await scene.settle(settlement), ['already']);
    matches(await scene.read('a'), { state: 'submitted', failures: 1 });
    equal(await scene.claimIds(), ['a']);
  },

  'settle answers already for a repeated settlement although the run has been started again': async (
    scene,
  ) => {
    const run = await scene.start('a');
    const at = await scene.now();
    const settlement = settlementOf(run, { type: 'release', at });
    await scene.settle(settlement);
    await scene.claim();

    equal(await scene.settle(settlement), ['already']);
    matches(await scene.read('a'), { state: 'started', epoch: 2, releases: 1 });
  },

  'settle fences a second outcome of one epoch': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();
    await scene.settle(settlementOf(run, { type: 'complete', at }, { result: '1' }));

    equal(await scene.settle(settlementOf(run, { type: 'fail', at })), ['fenced']);
    matches(await scene.read('a'), { state: 'completed', failures: 0, result: '1' });
  },

  'settle accepts one of two concurrent outcomes': async (scene) => {
    const run = await scene.start('a');

    const answers = await Promise.all([scene.settleNow('complete', run), scene.settleNow('fail', run)]);

    equal(answers.flat().sort(), ['fenced', 'ok']);
  },

  'settle lets a cleaner recover a run whose lease has expired, and fences its worker': async (scene) => {
    const zombie = await scene.start('a', { leaseMs: SHORT_MS });
    await scene.advance(PASS_MS);
    const at = await scene.now();
    const cleaned = await scene.settle(recover(zombie, at));

    const late = await scene.settle(settlementOf(zombie, { type: 'complete', at }));

    equal(cleaned, ['ok']);
    equal(late, ['fenced']);
    matches(await scene.read('a'), { state: 'submitted', stalls: 1 });
  },

  'settle fences a late worker while another one holds the lease': async (scene) => {
    const zombie = await scene.start('a', { worker: 'w1', leaseMs: SHORT_MS });
    await scene.advance(PASS_MS);
    const at = await scene.now();
    await scene.settle(recover(zombie, at));
    const [current] = await scene.claim({ worker: 'w2' });

    const late = await scene.settle(settlementOf(zombie, { type: 'complete', at }));

    equal(late, ['fenced']);
    matches(await scene.read('a'), { state: 'started', epoch: 2 });
    equal(current && (await scene.settle(settlementOf(current.run, { type: 'complete', at }))), ['ok']);
  },

  'settle lets one of many cleaners recover a run, and charges one stall': async (scene) => {
    const run = await scene.start('a', { leaseMs: SHORT_MS });
    await scene.advance(PASS_MS);
    const at = await scene.now();

    const answers = await Promise.all([1, 2, 3].map(() => scene.settle(recover(run, at))));

    equal(answers.flat().sort(), ['already', 'already', 'ok']);
    strictEqual((await scene.read('a')).stalls, 1);
  },

  'settle accepts a worker whose lease has expired as long as the run was not recovered': async (scene) => {
    const run = await scene.start('a', { leaseMs: SHORT_MS });
    await scene.advance(PASS_MS);

    const answers = await scene.settleNow('complete', run);

    equal(answers, ['ok']);
  },

  'settle fences a cleaner while the lease is valid': async (scene) => {
    const run = await scene.start('a', { leaseMs: LONG_MS });

    equal(await scene.settle(recover(run, await scene.now())), ['fenced']);
    matches(await scene.read('a'), { state: 'started', stalls: 0 });
  },

  'settle fences a cleaner after a heartbeat has revived the lease': async (scene) => {
    const run = await scene.start('a', { leaseMs: SHORT_MS });
    await scene.advance(PASS_MS);
    const [expired] = await scene.broker.findExpired(1);
    await scene.broker.heartbeat([{ id: 'a', epoch: run.epoch }], LONG_MS);

    equal(await scene.settle(recover(expired ?? run, await scene.now())), ['fenced']);
    strictEqual((await scene.read('a')).state, 'started');
  },

  'settle answers already for a repeated settlement after a redrive, and fences another one': async (
    scene,
  ) => {
    const run = await scene.start('a');
    const at = await scene.now();
    const failed = settlementOf(run, { type: 'fail', at });
    await scene.settle(failed);
    await redriveRuns(scene.broker, ['a']);

    equal(await scene.settle(failed), ['already']);
    equal(await scene.settle(settlementOf(run, { type: 'complete', at })), ['fenced']);
    matches(await scene.read('a'), { state: 'submitted', epoch: 1, failures: 0 });
  },

  'settle fences an epoch that is yet to come': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();
    const ahead = { ...settlementOf(run, { type: 'complete', at }), epoch: 2 };

    equal(await scene.settle(ahead), ['fenced']);
    strictEqual((await scene.read('a')).state, 'started');
  },

  'settle answers gone after the run was discarded': async (scene) => {
    const run = await scene.start('a');
    const settlement = settlementOf(run, { type: 'fail', at: await scene.now() });
    await scene.settle(settlement);
    await discardRuns(scene.broker, ['a']);

    equal(await scene.settle(settlement), ['gone']);
  },
};

function recover(run: Run, at: number): ReturnType<typeof settlementOf> {
  return settlementOf(
    run,
    [
      { type: 'stall', at },
      { type: 'recover', at, runAt: at },
    ],
    { onlyIfExpired: true },
  );
}
