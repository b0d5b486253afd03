import { cancelRuns, holdLanes, rescheduleRuns, resumeLanes } from '@retry/core/broker/kit';
import { atLeast, atMost, equal, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { concurrency, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { keepsWaiting } from '../wait/keeps-waiting.ts';
import { untilUnlocked } from './requests.ts';

/** What `reschedule` means for keys, waits and claims under way. */
export const rescheduleEffectsCases: CasesByName = {
  'reschedule to now leaves a run that waits for its key waiting, in its order': async (scene) => {
    const run = await scene.start({ id: 'a', concurrency });
    await scene.submit(...['b', 'c'].map((id) => ({ id, concurrency })));
    await scene.claim();

    equal(await rescheduleRuns(scene.broker, [{ id: 'c' }, { id: 'b' }]), ['rescheduled', 'rescheduled']);
    const full = await scene.claimIds();
    await scene.settleNow('complete', run);

    equal(full, []);
    equal(await scene.claimIds(), ['b']);
  },

  'reschedule for later takes a run out of those that wait for its key: the next one gets the slot': async (
    scene,
  ) => {
    await scene.start({ id: 'a', concurrency });
    await scene.submit(...['b', 'c', 'd'].map((id) => ({ id, concurrency })));
    await scene.claim();
    const parked = await rescheduleRuns(scene.broker, [{ id: 'b', delayMs: LONG_MS }]);
    await scene.settleNow('complete', 'a');
    const returned = await rescheduleRuns(scene.broker, [{ id: 'c', delayMs: LONG_MS }]);
    const next = await scene.claimIds();
    await rescheduleRuns(scene.broker, [{ id: 'b' }]);
    const full = await scene.claimIds();
    await scene.settleNow('complete', 'd');

    equal([parked, returned], [['rescheduled'], ['rescheduled']]);
    equal([next, full], [['d'], []]);
    equal(await scene.claimIds(), ['b']);
  },

  'reschedule leaves when a run was created, also once it is promoted and completes at its first start':
    async (scene) => {
      await scene.submit('a', { id: 'b', delayMs: LONG_MS });
      const read = () => scene.broker.get(['a', 'b']);
      const created = (await read()).map((run) => run?.createdAt);
      await scene.advance(PASS_MS);
      await rescheduleRuns(scene.broker, [{ id: 'a', delayMs: SHORT_MS }, { id: 'b' }]);
      await scene.advance(PASS_MS);

      await scene.claim();
      await scene.settleNow('complete', 'b');
      await scene.settleNow('complete', 'a');

      equal(
        (await read()).map((run) => [run?.state, run?.createdAt]),
        created.map((at) => ['completed', at]),
      );
    },

  'reschedule to now wakes a worker that waits': async (scene) => {
    await scene.submit({ id: 'a', delayMs: LONG_MS / 2 });
    const waiting = scene.broker.wait({ lanes: ['l'], timeoutMs: LONG_MS });

    await rescheduleRuns(scene.broker, [{ id: 'a' }]);

    await waiting;
    equal(await scene.claimIds(), ['a']);
  },

  'reschedule to an earlier instant ends a wait for work then': async (scene) => {
    await scene.submit({ id: 'a', delayMs: LONG_MS / 2 });
    const waiting = scene.broker.wait({ lanes: ['l'], timeoutMs: LONG_MS });
    await rescheduleRuns(scene.broker, [{ id: 'a', delayMs: SHORT_MS }]);

    await scene.advance(PASS_MS);

    await waiting;
    equal(await scene.claimIds(), ['a']);
  },

  'reschedule for later leaves nothing to wake for': async (scene) => {
    const hasLasted = await keepsWaiting(scene, {
      wait: (options) => scene.broker.wait({ lanes: ['l'], ...options }),
      prepare: async (round) => {
        await scene.submit(`a-${round}`, { id: `b-${round}`, delayMs: SHORT_MS });
        const move = async (...ids: readonly string[]) =>
          rescheduleRuns(
            scene.broker,
            ids.map((id) => ({ id: `${id}-${round}`, delayMs: LONG_MS })),
          );
        await move('a', 'b');
        return () => move('a', 'b');
      },
    });

    strictEqual(hasLasted, true);
  },

  'reschedule decides when the next run of a claimed lane is due': async (scene) => {
    await scene.submit({ id: 'a', delayMs: LONG_MS }, { id: 'b', delayMs: LONG_MS });
    const at = await scene.now();
    await rescheduleRuns(scene.broker, [
      { id: 'a', delayMs: 3 * LONG_MS },
      { id: 'b', delayMs: 2 * LONG_MS },
    ]);
    const claim = { worker: 'w', requestId: 'r', limit: 9, lanes: new Map([['l', 9]]), leaseMs: LONG_MS };

    const { nextRunAt, now } = await scene.broker.exchange({ claim });

    atLeast(nextRunAt, at + 2 * LONG_MS);
    atMost(nextRunAt, now + 2 * LONG_MS);
  },

  'reschedule moves a run of a lane that is on hold': async (scene) => {
    await scene.submit('a', 'b', { id: 'c', delayMs: LONG_MS });
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }]);

    await rescheduleRuns(scene.broker, [{ id: 'a', delayMs: LONG_MS }, { id: 'c' }, { id: 'b' }]);
    const held = await scene.claimIds();
    await resumeLanes(scene.broker, [{ lane: 'l' }]);

    equal(held, []);
    equal(await scene.claimIds(), ['b', 'c']);
  },

  'reschedule takes effect either before or after a concurrent claim of a run that is due': async (scene) => {
    await scene.submit({ id: 'a', delayMs: SHORT_MS }, 'b');
    await scene.advance(PASS_MS);

    const [answers, claimed] = await Promise.all([
      untilUnlocked(
        ['a', 'b'].map((id) => ({ id, delayMs: LONG_MS })),
        (moves) => rescheduleRuns(scene.broker, moves),
      ),
      scene.claimIds(),
    ]);

    for (const [index, id] of ['a', 'b'].entries()) {
      const isMoved = answers[index] === 'rescheduled';
      strictEqual(claimed.includes(id), !isMoved);
      strictEqual((await scene.read(id)).state, isMoved ? 'scheduled' : 'started');
    }
  },

  'reschedule and a concurrent cancel: the run is cancelled': async (scene) => {
    await scene.submit('a', { id: 'b', delayMs: LONG_MS });

    const [, cancelled] = await Promise.all([
      rescheduleRuns(scene.broker, [{ id: 'a', delayMs: LONG_MS }, { id: 'b' }]),
      untilUnlocked(['a', 'b'], (ids) => cancelRuns(scene.broker, ids)),
    ]);

    equal(cancelled, ['cancelled', 'cancelled']);
    equal(await scene.claimIds(), []);
  },

  'reschedule keeps the id of a run known and its result for the caller': async (scene) => {
    await scene.submit({ id: 'a', keyed: true, keepResultMs: LONG_MS });
    await rescheduleRuns(scene.broker, [{ id: 'a', delayMs: LONG_MS }]);
    const again = await scene.broker.submit([{ id: 'a', lane: 'l', payload: '{}', keyed: true }]);
    await rescheduleRuns(scene.broker, [{ id: 'a' }]);
    await scene.claim();
    const waiting = scene.broker.wait({ results: true, timeoutMs: LONG_MS });
    await scene.settleNow('complete', 'a');

    await waiting;
    equal(again, ['exists']);
  },
};
