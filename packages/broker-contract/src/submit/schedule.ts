import { cancelRuns } from '@retry/core/broker/kit';
import { atLeast, atMost, equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { AHEAD_MS, idsIn, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** Runs that are due later. */
export const scheduleCases: CasesByName = {
  'runAt is never early by the clock of the broker': async (scene) => {
    const runAt = (await scene.now()) + SHORT_MS;
    await scene.submit({ id: 'a', runAt });
    let claimed = await scene.claim();

    for (let step = 0; claimed.length === 0 && step < 2 * SHORT_MS; step++) {
      await scene.advance(1);
      claimed = await scene.claim();
    }

    equal(idsIn(claimed), ['a']);
    atLeast(claimed[0]?.run.firstStartedAt, runAt);
  },

  'runAt lets a claim start the run once it is due': async (scene) => {
    await scene.submit({ id: 'a', runAt: (await scene.now()) + SHORT_MS });
    await scene.advance(PASS_MS);

    equal(await scene.claimIds(), ['a']);
  },

  'runAt in the future makes the run scheduled for that instant': async (scene) => {
    const runAt = (await scene.now()) + LONG_MS;

    await scene.submit({ id: 'a', runAt });

    matches(await scene.read('a'), { state: 'scheduled', runAt });
    equal(await scene.claimIds(), []);
    matches(await scene.broker.audit(), { submitted: 0, scheduled: 1, started: 0 });
  },

  'runAt in the past is now': async (scene) => {
    await scene.submit({ id: 'a', runAt: (await scene.now()) - LONG_MS }, { id: 'b', runAt: 0 });

    strictEqual((await scene.read('a')).state, 'submitted');
    equal(await scene.claimIds(), ['a', 'b']);
  },

  'delayMs counts from the clock of the broker': async (scene) => {
    const before = await scene.now();
    await scene.submit({ id: 'a', delayMs: LONG_MS });
    const after = await scene.now();

    const { runAt, state } = await scene.read('a');

    strictEqual(state, 'scheduled');
    atLeast(runAt, before + LONG_MS);
    atMost(runAt, after + LONG_MS);
  },

  'runAt and delayMs together mean the later of the two': async (scene) => {
    const now = await scene.now();
    await scene.submit(
      { id: 'a', runAt: now + LONG_MS, delayMs: 1 },
      { id: 'b', runAt: now + 1, delayMs: LONG_MS },
    );
    await scene.advance(PASS_MS);

    equal(await scene.claimIds(), []);
    strictEqual((await scene.read('a')).runAt, now + LONG_MS);
    atLeast((await scene.read('b')).runAt, now + LONG_MS);
  },

  'delayMs of 0 is now': async (scene) => {
    await scene.submit({ id: 'a', delayMs: 0 });

    equal(await scene.claimIds(), ['a']);
  },

  'due runs are promoted in the order of runAt, behind the runs that already wait': async (scene) => {
    // All is submitted before the first instant: a `runAt` in the past is now, and has no order.
    const dueAt = (await scene.now()) + AHEAD_MS;
    await scene.submit({ id: 'third', runAt: dueAt + 2 }, { id: 'second', runAt: dueAt + 1 });
    await scene.submit({ id: 'first', runAt: dueAt }, 'waiting');
    await scene.advancePast(dueAt + 2);

    equal(await scene.claimIds(), ['waiting', 'first', 'second', 'third']);
  },

  'due runs with the same runAt are promoted in the order of their submission': async (scene) => {
    const runAt = (await scene.now()) + 10;
    const ids = ['e', 'a', 'd', 'b', 'c'];
    await scene.submit(...ids.map((id) => ({ id, runAt })));
    await scene.advance(PASS_MS);

    equal(await scene.claimIds(), ids);
  },

  'due runs are promoted in the order of runAt although others were cancelled': async (scene) => {
    const dueAt = (await scene.now()) + AHEAD_MS;
    const runs = Array.from({ length: 300 }, (_, index) => {
      return { id: `run-${index}`, runAt: dueAt + ((index * 7_919) % 23) };
    });
    await scene.submit(...runs);
    await cancelRuns(
      scene.broker,
      runs.filter((_, index) => index % 3 === 1).map(({ id }) => id),
    );
    await scene.advancePast(dueAt + 23);

    const kept = runs.filter((_, index) => index % 3 !== 1);
    const sorted = kept.sort((left, right) => left.runAt - right.runAt);
    equal(
      await scene.claimIds(),
      sorted.map(({ id }) => id),
    );
  },

  'nextRunAt is when the next run of the claimed lanes is due': async (scene) => {
    const now = await scene.now();
    await scene.submit(
      { id: 'a', runAt: now + 2 * LONG_MS },
      { id: 'b', lane: 'm', runAt: now + LONG_MS },
      { id: 'c', lane: 'other', runAt: now + LONG_MS / 2 },
    );

    const ask = async (lanes: readonly string[]): Promise<number | undefined> => {
      const map = new Map(lanes.map((lane) => [lane, 1] as const));
      const claim = { worker: 'w', requestId: lanes.join(), limit: 1, lanes: map, leaseMs: LONG_MS };
      return (await scene.broker.exchange({ claim })).nextRunAt;
    };

    strictEqual(await ask(['l']), now + 2 * LONG_MS);
    strictEqual(await ask(['l', 'm']), now + LONG_MS);
    strictEqual(await ask(['empty']), undefined);
  },

  'a retry with a later runAt starts once it is due': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();
    const runAt = at + AHEAD_MS;
    await scene.settle(settlementOf(run, { type: 'retry', at, runAt }));
    const early = await scene.read('a');

    await scene.advancePast(runAt);
    const [claimed] = await scene.claim();

    matches(early, { state: 'scheduled', failures: 1, runAt });
    matches(claimed?.run, { id: 'a', epoch: 2, failures: 1 });
    atLeast(claimed?.run.startedAt, runAt);
  },
};
