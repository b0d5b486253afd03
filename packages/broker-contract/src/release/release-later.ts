import { MAX_INSTANT_AT } from '@retry/core';
import type { Run } from '@retry/core/broker';
import { rescheduleRuns } from '@retry/core/broker/kit';
import { atLeast, atMost, equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { AHEAD_MS, concurrency, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** Runs that are given back, uncharged, to be claimed again later. */
export const releaseLaterCases: CasesByName = {
  'release for later schedules the run, uncharged': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();
    const runAt = at + LONG_MS;

    const answers = await scene.settle(settlementOf(run, { type: 'release', at, runAt }));

    equal(answers, ['ok']);
    const counters = { epoch: 1, failures: 0, stalls: 0, releases: 1, rateLimits: 0 };
    matches(await scene.read('a'), { state: 'scheduled', runAt, ...counters, settledBy: '1:release' });
    equal(await scene.claimIds(), []);
    matches(await scene.broker.audit(), { scheduled: 1, started: 0 });
  },

  'release for later counts its delay from the clock of the broker, fractions up': async (scene) => {
    const run = await scene.start('a');
    const before = await scene.now();
    const settlement = settlementOf(run, { type: 'release', at: before, runAt: before + 1 });

    await scene.settle({ ...settlement, delayMs: LONG_MS + 0.25 });

    const { runAt = Number.NaN } = await scene.read('a');
    strictEqual(Number.isInteger(runAt), true);
    atLeast(runAt, before + LONG_MS + 1);
    atMost(runAt, (await scene.now()) + LONG_MS + 1);
  },

  'release for later lets a claim start the run once it is due, behind those that wait': async (scene) => {
    const run = await scene.start('a');
    await scene.submit('b');
    await releaseFor(scene, run, AHEAD_MS);
    const early = await scene.claimIds({ limit: 0 });
    await scene.advance(AHEAD_MS);

    const claimed = await scene.claim();

    equal(early, []);
    equal(
      claimed.map(({ run: { id, epoch } }) => [id, epoch]),
      [
        ['b', 1],
        ['a', 2],
      ],
    );
  },

  'release for later is counted each time, and keeps what was charged': async (scene) => {
    const first = await scene.start('a');
    const at = await scene.now();
    const errors = [{ epoch: 1, at, name: 'Error', message: 'no' }];
    const retry = { type: 'retry', at, runAt: at } as const;
    await scene.settle(settlementOf(first, retry, { errors, previousDelayMs: 7 }));
    for (let round = 0; round < 2; round += 1) {
      const [claimed] = await scene.claim();
      await releaseFor(scene, claimed?.run, LONG_MS);
      await rescheduleRuns(scene.broker, [{ id: 'a' }]);
    }

    const charged = { failures: 1, releases: 2, stalls: 0, errors, previousDelayMs: 7 };
    matches(await scene.read('a'), { state: 'submitted', epoch: 3, ...charged });
  },

  'release for now and for later may be in one call: those for now keep their order at the front': async (
    scene,
  ) => {
    await scene.submit('a', 'b', 'c', 'd');
    const claimed = await scene.claim({ limit: 3 });
    const at = await scene.now();

    const answers = await scene.settle(
      ...claimed.map(({ run }) =>
        settlementOf(run, { type: 'release', at, runAt: run.id === 'b' ? at + LONG_MS : at }),
      ),
    );

    equal(answers, ['ok', 'ok', 'ok']);
    equal(await scene.claimIds(), ['a', 'c', 'd']);
    strictEqual((await scene.read('b')).state, 'scheduled');
  },

  'release for later frees the slot of its concurrency key': async (scene) => {
    const run = await scene.start({ id: 'a', concurrency });
    await scene.submit({ id: 'b', concurrency });
    const full = await scene.claimIds();
    await releaseFor(scene, run, LONG_MS);
    const freed = await scene.claimIds();
    await rescheduleRuns(scene.broker, [{ id: 'a' }]);

    equal([full, freed], [[], ['b']]);
    equal(await scene.claimIds(), []);
  },

  'release for later is answered already when it is repeated, and fenced for another epoch': async (
    scene,
  ) => {
    const run = await scene.start('a');
    const at = await scene.now();
    const settlement = settlementOf(run, { type: 'release', at, runAt: at + LONG_MS });
    await scene.settle(settlement);

    equal(await scene.settle(settlement, { ...settlement, epoch: 2 }), ['already', 'fenced']);
    matches(await scene.read('a'), { releases: 1 });
  },

  'release for the last instant is scheduled there': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();
    const settlement = settlementOf(run, { type: 'release', at, runAt: at + 1 });

    await scene.settle({ ...settlement, delayMs: 1e300 });

    matches(await scene.read('a'), { state: 'scheduled', runAt: MAX_INSTANT_AT });
  },

  'release for later ends a wait for work when it is due': async (scene) => {
    const run = await scene.start('a');
    await releaseFor(scene, run, SHORT_MS);
    const waiting = scene.broker.wait({ lanes: ['l'], timeoutMs: LONG_MS });
    await scene.advance(PASS_MS);

    await waiting;
    equal(await scene.claimIds(), ['a']);
  },
};

async function releaseFor(scene: CaseScene, run: Run | undefined, delayMs: number): Promise<void> {
  if (run === undefined) throw new Error('no run was claimed');
  const at = await scene.now();
  const settlement = settlementOf(run, { type: 'release', at, runAt: at + 1 });
  equal(await scene.settle({ ...settlement, delayMs }), ['ok']);
}
