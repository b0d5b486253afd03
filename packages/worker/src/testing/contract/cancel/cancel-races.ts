import type { RunEvent } from '@retry/core/lifecycle';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** Cancel requests that meet a settlement, a redrive or a claim (fault F23). */
export const cancelRacesCases: CasesByName = {
  'cancel request does not undo a completion by a worker that had not seen it': async (scene) => {
    const run = await scene.start('a');
    await scene.broker.cancel(['a']);

    const answers = await scene.settle(settlementOf(run, { type: 'complete', at: await scene.now() }));

    equal(answers, ['ok']);
    strictEqual((await scene.read('a')).state, 'completed');
  },

  'cancel request lets the worker that saw it cancel the run': async (scene) => {
    const run = await scene.start('a');
    await scene.broker.cancel(['a']);

    const answers = await scene.settle(settlementOf(run, { type: 'cancel', at: await scene.now() }));

    equal(answers, ['ok']);
    matches(await scene.read('a'), { state: 'cancelled', settledBy: '1:cancel' });
  },

  'cancel request ends the run after %s: no further attempt starts': /* @__PURE__ */ each(
    (): readonly (readonly [string, (at: number) => readonly RunEvent[], object])[] => [
      ['a retry that is due immediately', (at) => [{ type: 'retry', at, runAt: at }], { failures: 1 }],
      ['a retry for later', (at) => [{ type: 'retry', at, runAt: at + LONG_MS }], { failures: 1 }],
      ['a rate limit', (at) => [{ type: 'limit', at, runAt: at + LONG_MS }], { rateLimits: 1 }],
      ['a release', (at) => [{ type: 'release', at }], { releases: 1 }],
      ['a release for later', (at) => [{ type: 'release', at, runAt: at + LONG_MS }], { releases: 1 }],
      ['a failure', (at) => [{ type: 'fail', at }], { failures: 1 }],
      ['a stall that holds it', (at) => [{ type: 'stall', at }], { stalls: 1 }],
      ['a stall that fails it', (at) => stalledThen({ type: 'giveUp', at }), { stalls: 1 }],
      ['a stall that recovers', (at) => stalledThen({ type: 'recover', at, runAt: at }), { stalls: 1 }],
      ['a rate limit that ends it', (at) => [{ type: 'limit', at }], { releases: 1 }],
      ['a drop', (at) => [{ type: 'drop', at }], { releases: 1 }],
    ],
    async (scene, [_name, eventsAt, counted]) => {
      const run = await scene.start('a');
      await scene.broker.cancel(['a']);
      const at = await scene.now();
      const errors = [{ epoch: 1, at, name: 'Error', message: 'no', stack: 'at a' }];
      const settlement = settlementOf(run, eventsAt(at), { errors });

      const answers = await scene.settle({ ...settlement, group: { id: 'g', title: 'no' } });

      equal(answers, ['cancelled']);
      const settledBy = `1:${settlement.event}`;
      const nothing = { errorGroup: undefined, isCancelRequested: undefined };
      matches(await scene.read('a'), {
        state: 'cancelled',
        epoch: 1,
        errors,
        settledBy,
        ...counted,
        ...nothing,
      });
      matches(await scene.broker.audit(), { created: 1, started: 0, ended: { cancelled: 1 } });
      equal(await scene.claimIds(), []);
      equal(await scene.broker.redrive(['a']), ['refused']);
    },
  ),

  'cancel request: a settlement that it overruled is answered cancelled again': async (scene) => {
    const first = await scene.start('a');
    const second = await scene.start('b');
    await scene.broker.cancel(['a', 'b']);
    const at = await scene.now();
    const failed = settlementOf(first, { type: 'fail', at });
    const retried = settlementOf(second, { type: 'retry', at, runAt: at });

    equal(await scene.settle(failed, retried, failed), ['cancelled', 'cancelled', 'cancelled']);

    equal(await scene.settle(failed, retried), ['cancelled', 'cancelled']);
    equal(await scene.settle(settlementOf(first, { type: 'complete', at })), ['fenced']);
  },

  'cancel request ends a run that a cleaner settles; a second cleaner is answered already': async (scene) => {
    await scene.start('a', { leaseMs: SHORT_MS });
    await scene.broker.cancel(['a']);
    await scene.advance(PASS_MS);
    const [run] = await scene.broker.findExpired(10);
    if (run === undefined) throw new Error('the run must be found');
    const held = settlementOf(run, { type: 'stall', at: await scene.now() }, { onlyIfExpired: true });

    equal(await scene.settle(held), ['cancelled']);

    equal(await scene.settle(held), ['already']);
    matches(await scene.read('a'), { state: 'cancelled', stalls: 1 });
  },

  'cancel request ends one of several runs that are settled together': async (scene) => {
    await scene.submit('a', 'b', 'c');
    const runs = (await scene.claim()).map(({ run }) => run);
    await scene.broker.cancel(['b']);
    const at = await scene.now();

    const answers = await scene.settle(
      ...runs.map((run) => settlementOf(run, { type: 'retry', at, runAt: at })),
    );

    equal(answers, ['ok', 'cancelled', 'ok']);
    equal(await scene.claimIds(), ['a', 'c']);
  },

  'cancel ends a retry that waits in its lane': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();
    await scene.settle(settlementOf(run, { type: 'retry', at, runAt: at }));

    equal(await scene.broker.cancel(['a']), ['cancelled']);
    equal(await scene.claimIds(), []);
  },

  'cancel request ends with its claim: the run that has ended has none': async (scene) => {
    const run = await scene.start('a');
    await scene.broker.cancel(['a']);

    await scene.settle(settlementOf(await scene.read('a'), { type: 'complete', at: await scene.now() }));

    matches(await scene.read('a'), { state: 'completed', isCancelRequested: undefined });
    equal(await scene.broker.findCancelRequests([{ id: 'a', epoch: run.epoch }]), []);
  },

  'cancel ends a redriven run that waits in its lane': async (scene) => {
    const run = await scene.start('a');
    await scene.settle(settlementOf(run, { type: 'fail', at: await scene.now() }));
    await scene.broker.redrive(['a']);

    equal(await scene.broker.cancel(['a']), ['cancelled']);
    equal(await scene.broker.redrive(['a']), ['refused']);
  },

  'cancel takes effect either before or after a concurrent claim': async (scene) => {
    await scene.submit('a');

    const [[answer], claimed] = await Promise.all([scene.broker.cancel(['a']), scene.claimIds()]);

    equal(claimed, answer === 'cancelled' ? [] : ['a']);
    strictEqual(answer === 'cancelled' || answer === 'requested', true);
  },
};

function stalledThen(event: RunEvent): readonly RunEvent[] {
  return [{ type: 'stall', at: event.at }, event];
}
