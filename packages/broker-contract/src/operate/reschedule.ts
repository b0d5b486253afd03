import { MAX_INSTANT_AT } from '@retry/core';
import { rescheduleRuns } from '@retry/core/broker/kit';
import { atLeast, atMost, equal, matches, rejectsWith, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { AHEAD_MS, idsIn, LONG_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';
import { WAITING } from './waiting-runs.ts';

/** What `reschedule` does to a run in each state, and which instants it takes. */
export const rescheduleCases: CasesByName = {
  'reschedule moves a run that waits %s to a later instant, and changes no more': /* @__PURE__ */ each(
    () => WAITING,
    async (scene, [_, prepare]) => {
      const before = await prepare(scene);
      const runAt = (await scene.now()) + 2 * LONG_MS;

      equal(await rescheduleRuns(scene.broker, [{ id: 'a', runAt }]), ['rescheduled']);

      const run = await scene.read('a');
      const expected = { ...before, state: 'scheduled', runAt };
      // One that was due may have been promoted by the call.
      equal({ ...run, submittedAt: 0 }, { ...expected, submittedAt: 0 });
      equal(await scene.claimIds(), []);
      matches(await scene.broker.audit(), { submitted: 0, scheduled: 1 });
    },
  ),

  'reschedule puts a scheduled run at the back of its lane, due now': async (scene) => {
    await scene.submit({ id: 'a', delayMs: LONG_MS }, { id: 'b', delayMs: LONG_MS }, 'c');
    const before = await scene.read('a');
    const at = await scene.now();

    equal(await rescheduleRuns(scene.broker, [{ id: 'b' }, { id: 'a', delayMs: 0 }]), [
      'rescheduled',
      'rescheduled',
    ]);

    const { submittedAt, runAt, ...rest } = await scene.read('a');
    equal(rest, { ...before, state: 'submitted', submittedAt: undefined, runAt: undefined });
    atLeast(submittedAt, at);
    atMost(submittedAt, await scene.now());
    strictEqual(runAt, submittedAt);
    equal(await scene.claimIds(), ['c', 'b', 'a']);
  },

  'reschedule to now leaves a run that is in its lane where it is, as it is': async (scene) => {
    await scene.submit('a', 'b', 'c');
    const before = await scene.read('b');

    const answers = await rescheduleRuns(scene.broker, [
      { id: 'a' },
      { id: 'b', delayMs: -5 },
      { id: 'a', runAt: 1 },
    ]);

    equal(answers, ['rescheduled', 'rescheduled', 'rescheduled']);
    equal(await scene.read('b'), before);
    equal(await scene.claimIds(), ['a', 'b', 'c']);
  },

  'reschedule takes the later of runAt and delayMs, fractions up': async (scene) => {
    await scene.submit('a', 'b', 'c');
    const at = await scene.now();

    await rescheduleRuns(scene.broker, [
      { id: 'a', runAt: at + 3 * LONG_MS, delayMs: LONG_MS },
      { id: 'b', runAt: at + 1, delayMs: LONG_MS },
      { id: 'c', runAt: at + LONG_MS + 0.25 },
    ]);

    const { runAt: ofB } = await scene.read('b');
    strictEqual((await scene.read('a')).runAt, at + 3 * LONG_MS);
    atLeast(ofB, at + LONG_MS);
    atMost(ofB, (await scene.now()) + LONG_MS);
    strictEqual((await scene.read('c')).runAt, at + LONG_MS + 1);
  },

  'reschedule to %s is for the last instant': /* @__PURE__ */ each(
    () => [MAX_INSTANT_AT, 1e300, Infinity],
    async (scene, instant) => {
      await scene.submit('a', { id: 'b', delayMs: LONG_MS }, 'c');

      await rescheduleRuns(scene.broker, [
        { id: 'a', runAt: instant },
        { id: 'b', delayMs: instant },
      ]);

      matches(await scene.read('a'), { state: 'scheduled', runAt: MAX_INSTANT_AT });
      matches(await scene.read('b'), { state: 'scheduled', runAt: MAX_INSTANT_AT });
      equal(await scene.claimIds(), ['c']);
    },
  ),

  'reschedule lets a claim start the run once it is due, and not before': async (scene) => {
    await scene.submit('a', { id: 'b', delayMs: LONG_MS });
    await rescheduleRuns(
      scene.broker,
      ['a', 'b'].map((id) => ({ id, delayMs: AHEAD_MS })),
    );
    const early = await scene.claimIds();
    await scene.advance(AHEAD_MS);

    equal(early, []);
    equal(await scene.claimIds(), ['a', 'b']);
  },

  'reschedule orders the schedule by the new instants; of equal ones, the one moved last is last': async (
    scene,
  ) => {
    const at = (await scene.now()) + LONG_MS;
    await scene.submit(...['a', 'b', 'c', 'd'].map((id) => ({ id, runAt: at })));

    await rescheduleRuns(scene.broker, [
      { id: 'a', runAt: at + 5 },
      { id: 'd', runAt: at - 5 },
      { id: 'b', runAt: at },
    ]);

    const { runs } = await scene.broker.list({ state: 'scheduled', lane: 'l', limit: 10 });
    equal(idsIn(runs), ['d', 'c', 'b', 'a']);
  },

  'reschedule refuses a run that is started, and one that ended as %s': /* @__PURE__ */ each(
    () => ['complete', 'fail', 'stall', 'cancel', 'drop', 'limit'] as const,
    async (scene, type) => {
      const run = await scene.start('a');
      const started = await rescheduleRuns(scene.broker, [{ id: 'a', delayMs: LONG_MS }, { id: 'a' }]);
      equal(await scene.read('a'), run);
      await scene.settleNow(type, run);
      const ended = await scene.read('a');

      const answers = await rescheduleRuns(scene.broker, [{ id: 'a', delayMs: LONG_MS }, { id: 'a' }]);

      equal(
        [started, answers],
        [
          ['refused', 'refused'],
          ['refused', 'refused'],
        ],
      );
      equal(await scene.read('a'), ended);
    },
  ),

  'reschedule answers a whole batch in order, and an id that is there twice twice': async (scene) => {
    await scene.start({ id: 'started', lane: 'm' });
    await scene.submit('a', 'b', { id: 'c', delayMs: LONG_MS });

    const answers = await rescheduleRuns(scene.broker, [
      { id: 'unknown' },
      { id: 'a', delayMs: LONG_MS },
      { id: 'started' },
      { id: 'c' },
      { id: 'a' },
      { id: 'b' },
    ]);

    equal(answers, ['gone', 'rescheduled', 'refused', 'rescheduled', 'rescheduled', 'rescheduled']);
    equal(await rescheduleRuns(scene.broker, []), []);
    equal(await scene.claimIds(), ['b', 'c', 'a']);
  },

  'reschedule moves thousands of runs in one call': async (scene) => {
    const ids = Array.from({ length: 2_500 }, (_, index) => `run-${index}`);
    await scene.submit(...ids);
    const all = (delayMs: number) =>
      rescheduleRuns(
        scene.broker,
        ids.map((id) => ({ id, delayMs })),
      );

    const answers = [...(await all(LONG_MS)), ...(await all(2 * LONG_MS))];
    matches(await scene.broker.audit(), { submitted: 0, scheduled: ids.length });
    answers.push(...(await all(0)));

    equal(new Set(answers), new Set(['rescheduled']));
    equal(await scene.claimIds(), ids);
  },

  'reschedule keeps counters, errors and the delay before': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();
    const errors = [{ epoch: 1, at, name: 'Error', message: 'no', stack: 'at a' }];
    const retry = { type: 'retry', at, runAt: at + LONG_MS } as const;
    await scene.settle(settlementOf(run, retry, { errors, previousDelayMs: 7 }));

    await rescheduleRuns(scene.broker, [{ id: 'a' }]);

    const kept = { epoch: 1, failures: 1, releases: 0, createdAt: run.createdAt, settledBy: '1:retry' };
    matches(await scene.read('a'), { state: 'submitted', ...kept, errors, previousDelayMs: 7 });
    equal(
      (await scene.claim()).map(({ run: { epoch } }) => epoch),
      [2],
    );
  },

  'reschedule refuses numbers that cannot be kept as %s': /* @__PURE__ */ each(
    () => ['runAt', 'delayMs'] as const,
    async (scene, key) => {
      await scene.submit('a');

      for (const value of [Number.NaN, '5' as never, null as never]) {
        const refused = rescheduleRuns(scene.broker, [
          { id: 'a', delayMs: LONG_MS },
          { id: 'a', [key]: value },
        ]);

        await rejectsWith(refused, { code: 'INVALID_OPTIONS', problems: [{ path: `[1].${key}`, value }] });
      }
      equal(await scene.claimIds(), ['a']);
    },
  ),
};
