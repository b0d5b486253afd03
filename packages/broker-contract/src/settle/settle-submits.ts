import type { Run, Settlement, Submission } from '@retry/core/broker';
import { cancelRuns, discardRuns, redriveRuns } from '@retry/core/broker/kit';
import type { RunEvent } from '@retry/core/lifecycle';
import { equal, matches, rejectsWith, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { concurrency, LONG_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** The run that the end of run `a` submits, in another lane. */
const after: Submission = { id: '{a}next', lane: 'm', payload: '{"of":"a"}', origin: 'a' };

/** The settlement of a run that failed, and submits another one. */
async function failing(scene: CaseScene, run: Run, submit: Submission = after): Promise<Settlement> {
  const at = await scene.now();
  const errors = [{ epoch: run.epoch, at, name: 'Error', message: 'no', stack: 'at a' }];
  return { ...settlementOf(run, { type: 'fail', at }, { errors }), submit };
}

const claimNext = (scene: CaseScene) => scene.claimIds({ lanes: ['m'] });

/** What a settlement submits, in one move with the end of its run. */
export const settleSubmitsCases: CasesByName = {
  'a settlement submits a run in the move that ends its own: by %s': /* @__PURE__ */ each(
    (): readonly (readonly [string, readonly RunEvent['type'][]])[] => [
      ['complete', ['complete']],
      ['fail', ['fail']],
      ['stall', ['stall']],
      ['stall and giveUp', ['stall', 'giveUp']],
      ['limit', ['limit']],
      ['cancel', ['cancel']],
      ['drop', ['drop']],
    ],
    async (scene, [_, types]) => {
      const run = await scene.start('a');
      const at = await scene.now();
      const events = types.map((type) => ({ type, at }) as RunEvent); // each of them needs no more

      equal(await scene.settle({ ...settlementOf(run, events), submit: after }), ['ok']);

      matches(await scene.read('a'), { epoch: 1, settledBy: `1:${types[0]}` });
      matches(await scene.read('{a}next'), {
        ...{ id: '{a}next', lane: 'm', payload: '{"of":"a"}', origin: 'a' },
        ...{ state: 'submitted', epoch: 0, failures: 0, errors: [], settledBy: undefined },
      });
      matches(await scene.broker.audit(), { created: 2, submitted: 1, started: 0 });
      equal(await claimNext(scene), ['{a}next']);
    },
  ),

  'a settlement submits a run that starts in the same call': async (scene) => {
    const run = await scene.start('a');
    const claim = {
      ...{ worker: 'w', requestId: 'both', limit: 5, leaseMs: LONG_MS },
      lanes: new Map([['m', 5]]),
    };

    const { claimed } = await scene.broker.exchange({ settle: [await failing(scene, run)], claim });

    matches(claimed, [{ run: { id: '{a}next', payload: '{"of":"a"}', origin: 'a', epoch: 1 } }]);
  },

  'a settlement submits with all that a submission has': async (scene) => {
    const run = await scene.start('a');
    const submit = { ...after, delayMs: LONG_MS, retry: '{"maxAttempts":2}', keyed: true, concurrency };
    const before = await scene.now();

    await scene.settle(await failing(scene, run, submit));

    const kept = await scene.read('{a}next');
    matches(kept, { state: 'scheduled', retry: '{"maxAttempts":2}', origin: 'a', concurrency });
    strictEqual((kept.runAt ?? 0) >= before + LONG_MS, true);
    equal(await claimNext(scene), []);
  },

  'a settlement submits a run to the back of its lane, in the order of the settlements': async (scene) => {
    await scene.submit({ id: 'first', lane: 'm' });
    await scene.submit('a', 'b', 'c');
    const [a, b, c] = await scene.claim();
    if (!a || !b || !c) throw new Error('three runs must be claimed');
    const ids = ['{c}next', '{a}next', '{b}next'];
    const settlements = await Promise.all(
      [c, a, b].map(({ run }, index) => failing(scene, run, { ...after, id: ids[index] ?? '' })),
    );

    equal(await scene.settle(...settlements), ['ok', 'ok', 'ok']);

    equal(await claimNext(scene), ['first', ...ids]);
  },

  'a settlement submits into the lane of its own run, behind what waits there': async (scene) => {
    const run = await scene.start('a');
    await scene.submit('b');

    await scene.settle(await failing(scene, run, { ...after, lane: 'l' }));

    equal(await scene.claimIds(), ['b', '{a}next']);
  },

  'a settlement that is sent again submits nothing again': async (scene) => {
    const run = await scene.start('a');
    const settlement = await failing(scene, run);

    equal(await scene.settle(settlement, settlement), ['ok', 'already']);
    equal(await scene.settle(settlement), ['already']);
    equal(await claimNext(scene), ['{a}next']);
    equal(await scene.settle(settlement), ['already']);

    matches(await scene.broker.audit(), { created: 2, started: 1 });
  },

  'a settlement that is sent again does not bring back a run that was discarded': async (scene) => {
    const run = await scene.start('a');
    const settlement = await failing(scene, run);
    await scene.settle(settlement);
    await cancelRuns(scene.broker, ['{a}next']);
    await discardRuns(scene.broker, ['{a}next']);

    equal(await scene.settle(settlement), ['already']);

    equal(await scene.broker.get(['{a}next']), [undefined]);
    matches(await scene.broker.audit(), { created: 2, forgotten: 1 });
  },

  'a settlement submits nothing when it is not accepted': async (scene) => {
    const run = await scene.start('a');
    const settlement = await failing(scene, run);

    const answers = await scene.settle(
      { ...settlement, epoch: 2 },
      { ...settlement, onlyIfExpired: true },
      { ...settlement, id: '{a}unknown' },
    );

    equal(answers, ['fenced', 'fenced', 'gone']);
    equal(await scene.broker.get(['{a}next']), [undefined]);
    matches(await scene.broker.audit(), { created: 1, started: 1 });
  },

  'a settlement submits nothing when the run was settled otherwise': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();

    const answers = await scene.settle(
      settlementOf(run, { type: 'complete', at }),
      await failing(scene, run),
    );

    equal(answers, ['ok', 'fenced']);
    equal(await scene.broker.get(['{a}next']), [undefined]);
  },

  'a settlement does not submit a known id again, and is accepted': async (scene) => {
    const run = await scene.start('a');
    await scene.submit({ ...after, payload: '"older"', delayMs: LONG_MS });

    equal(await scene.settle(await failing(scene, run)), ['ok']);

    matches(await scene.read('a'), { state: 'failed' });
    matches(await scene.read('{a}next'), { state: 'scheduled', payload: '"older"' });
    matches(await scene.broker.audit(), { created: 2 });
  },

  'two settlements that submit one id submit the first': async (scene) => {
    await scene.submit('{t}1', '{t}2');
    const [first, second] = await scene.claim();
    if (!first || !second) throw new Error('two runs must be claimed');
    const submits = ['"1"', '"2"'].map((payload) => ({ ...after, id: '{t}next', payload }));

    const answers = await scene.settle(
      await failing(scene, first.run, submits[0]),
      await failing(scene, second.run, submits[1]),
    );

    equal(answers, ['ok', 'ok']);
    matches(await scene.read('{t}next'), { payload: '"1"' });
    matches(await scene.broker.audit(), { created: 3 });
  },

  'a settlement of a cleaner submits when the lease has expired': async (scene) => {
    const run = await scene.start('a', { leaseMs: 0 });
    await scene.advancePast(await scene.now());

    equal(await scene.settle({ ...(await failing(scene, run)), onlyIfExpired: true }), ['ok']);

    equal(await claimNext(scene), ['{a}next']);
  },

  'a settlement submits in spite of a cancel request, since its run ends as it says': async (scene) => {
    const run = await scene.start('a');
    await cancelRuns(scene.broker, ['a']);

    equal(await scene.settle(await failing(scene, run)), ['ok']);

    matches(await scene.read('a'), { state: 'failed' });
    equal(await claimNext(scene), ['{a}next']);
  },

  'a run that is redriven and fails again submits another run': async (scene) => {
    await scene.settle(await failing(scene, await scene.start('a')));
    await redriveRuns(scene.broker, ['a']);
    const [again] = await scene.claim();
    if (!again) throw new Error('the run must be claimed');

    equal(await scene.settle(await failing(scene, again.run, { ...after, id: '{a}last' })), ['ok']);

    equal(await claimNext(scene), ['{a}next', '{a}last']);
  },

  'a settlement frees the slot of its run for the run that it submits': async (scene) => {
    const run = await scene.start({ id: 'a', concurrency });

    await scene.settle(await failing(scene, run, { ...after, concurrency }));

    equal(await claimNext(scene), ['{a}next']);
  },

  'a settlement submits a run with a large payload, beside one without': async (scene) => {
    await scene.submit('a', 'b');
    const [first, second] = await scene.claim();
    if (!first || !second) throw new Error('two runs must be claimed');
    const payload = JSON.stringify('é'.repeat(300_000));
    const result = JSON.stringify('r'.repeat(100_000));
    const at = await scene.now();

    const answers = await scene.settle(await failing(scene, first.run, { ...after, payload }), {
      ...settlementOf(second.run, { type: 'complete', at }, { result }),
    });

    equal(answers, ['ok', 'ok']);
    strictEqual((await scene.read('{a}next')).payload, payload);
    strictEqual((await scene.read('b')).result, result);
    const [claimed] = await scene.claim({ lanes: ['m'] });
    strictEqual(claimed?.run.payload, payload);
  },

  'a settlement that submits wakes a worker that waits for that lane': async (scene) => {
    const run = await scene.start('a');
    const settlement = await failing(scene, run);
    const waited = scene.broker.wait({ lanes: ['m'], timeoutMs: LONG_MS });

    await scene.advance(SHORT_MS);
    await scene.settle(settlement);
    await waited;

    equal(await claimNext(scene), ['{a}next']);
  },

  'a settlement that submits is refused when its run does not end, or has another tag': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();
    const release = settlementOf(run, { type: 'release', at });

    await rejectsWith(scene.settle({ ...release, submit: after }), 'settle[0].submit needs a run that ends');
    const other = await failing(scene, run, { ...after, id: 'next' });
    await rejectsWith(scene.settle(other), 'settle[0].submit.id must have the tag of the settled run');
    const nameless = await failing(scene, run, { ...after, lane: '' });
    await rejectsWith(scene.settle(nameless), 'settle[0].submit.lane must not be empty');

    matches(await scene.read('a'), { state: 'started' });
    matches(await scene.broker.audit(), { created: 1, started: 1 });
  },
};
