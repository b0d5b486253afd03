import type { Reservation, Reserved } from '@retry/core/broker';
import { listHolds } from '@retry/core/broker/kit';
import { above, atLeast, atMost, equal, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { AHEAD_MS, concurrency, LONG_MS } from '../case-scene.ts';

/** A limit of 5 starts in a window that outlives the case. */
const LONG: Reservation = { key: 'k', limit: 5, windowMs: LONG_MS, count: 1 };

/** A limit of 4 starts in a window that passes in the case. */
const PASSING: Reservation = { key: 'k', limit: 4, windowMs: AHEAD_MS, count: 1 };

/** How much longer than a window a start may count: a part of 32 of it, and the next whole millisecond. */
const TOLERANCE = 1 / 32;

/** Reserves starts of one limit, with one call for each count. */
async function reserve(
  { broker }: Pick<CaseScene, 'broker'>,
  limit: Reservation,
  ...counts: readonly number[]
): Promise<readonly Reserved[]> {
  const answers: Reserved[] = [];
  for (const count of counts) answers.push(...(await broker.reserve([{ ...limit, count }])));
  return answers;
}

async function granted(
  scene: Pick<CaseScene, 'broker'>,
  limit: Reservation,
  ...counts: readonly number[]
): Promise<readonly number[]> {
  return (await reserve(scene, limit, ...counts)).map((answer) => answer.granted);
}

/** How many starts `reserve` grants, and when. */
export const reserveCases: CasesByName = {
  'reserve grants starts up to the limit, and no more': async (scene) => {
    equal(await granted(scene, LONG, 3, 3, 1), [3, 2, 0]);
  },

  'reserve says when more can be granted, unless it granted all': async (scene) => {
    const before = await scene.now();
    const [all, some] = await reserve(scene, LONG, 5, 1);
    const after = await scene.now();

    equal(all, { granted: 5, grantedAt: all?.grantedAt });
    atLeast(some?.availableAt, before + LONG_MS);
    atMost(some?.availableAt, after + Math.ceil(LONG_MS * (1 + TOLERANCE)) + 1);
  },

  'reserve grants the starts of a window again when it has passed': async (scene) => {
    const [, refused] = await reserve(scene, PASSING, 4, 1);
    strictEqual(refused?.granted, 0);

    await scene.advancePast(refused?.availableAt ?? 0);

    equal(await granted(scene, PASSING, 5), [4]);
  },

  'reserve grants no burst of two windows at the edge of one': async (scene) => {
    const start = await scene.now();
    equal(await granted(scene, PASSING, 2), [2]);
    await scene.advancePast(start + AHEAD_MS / 2);
    const [second] = await reserve(scene, PASSING, 3);
    strictEqual(second?.granted, 2);

    await scene.advancePast(second?.availableAt ?? 0);

    const [third] = await reserve(scene, PASSING, 4);
    strictEqual(third?.granted, 2);
    above(third?.availableAt, second?.availableAt ?? 0);
  },

  'reserve counts nothing for what it does not grant': async (scene) => {
    const start = await scene.now();
    const [, full] = await reserve(scene, PASSING, 4, 1);
    await scene.advancePast(start + AHEAD_MS / 2);
    equal(await granted(scene, PASSING, 4), [0]);

    await scene.advancePast(full?.availableAt ?? 0);

    equal(await granted(scene, PASSING, 4), [4]);
  },

  'reserve answers several requests of one key in order, in one call and in the next': async (scene) => {
    const some = (key: string, count: number): Reservation => ({ ...LONG, key, count });
    const answers = await scene.broker.reserve([
      some('a', 2),
      some('b', 4),
      some('a', 4),
      some('b', 1),
      some('a', 1),
    ]);

    equal(
      answers.map((answer) => answer.granted),
      [2, 4, 3, 1, 0],
    );
    equal(await granted(scene, some('b', 1), 1), [0]);
  },

  'reserve of nothing answers nothing': async (scene) => {
    equal(await scene.broker.reserve([]), []);
  },

  'reserve grants no more than the limit to calls at the same time': async (scene) => {
    const calls = Array.from({ length: 20 }, () =>
      scene.broker.reserve([
        { ...LONG, key: 'a', count: 2 },
        { ...LONG, key: 'b', count: 1 },
      ]),
    );
    const answers = await Promise.all(calls);

    const sums = [0, 1].map((index) =>
      answers.reduce((sum, answer) => sum + (answer[index]?.granted ?? 0), 0),
    );
    equal(sums, [5, 5]);
  },

  'reserve takes thousands of limits in one call': async (scene) => {
    const requests = Array.from({ length: 2_500 }, (_, index) => ({
      ...LONG,
      key: `k${index % 2_000}`,
      count: 3,
    }));

    const answers = await scene.broker.reserve(requests);

    equal(
      answers.map((answer) => answer.granted),
      requests.map((_, index) => (index < 2_000 ? 3 : 2)),
    );
  },

  'reserve counts by the new limit of a key from now on': async (scene) => {
    equal(await granted(scene, LONG, 4), [4]);
    equal(await granted(scene, { ...LONG, limit: 6 }, 9), [2]);
    equal(await granted(scene, { ...LONG, limit: 3 }, 1), [0]);
    equal(await granted(scene, { ...LONG, limit: 7 }, 9), [1]);
  },

  'reserve counts the starts so far in a longer window of the same key': async (scene) => {
    const [, refused] = await reserve(scene, PASSING, 4, 1);
    equal(await granted(scene, { ...PASSING, windowMs: LONG_MS, limit: 6 }, 1), [1]);

    await scene.advancePast(refused?.availableAt ?? 0);

    equal(await granted(scene, { ...PASSING, windowMs: LONG_MS, limit: 6 }, 3), [1]);
  },

  'reserve counts the starts so far in a shorter window of the same key, until that has passed': async (
    scene,
  ) => {
    equal(await granted(scene, LONG, 3), [3]);
    const [shorter] = await reserve(scene, PASSING, 4);
    strictEqual(shorter?.granted, 1);

    // The starts of the second call may count for a bucket longer than those of the first.
    await scene.advancePast((shorter?.availableAt ?? 0) + PASSING.windowMs / 10);

    equal(await granted(scene, PASSING, 9), [4]);
  },

  'reserve holds a longer window also while the same key is asked by a shorter one': async (scene) => {
    equal(await granted(scene, LONG, 1), [1]);
    const [shorter] = await reserve(scene, PASSING, 4);
    strictEqual(shorter?.granted, 3);
    await scene.advancePast((shorter?.availableAt ?? 0) + PASSING.windowMs / 10);

    equal(await granted(scene, PASSING, 1), [1]); // the first four are out of the shorter window

    equal(await granted(scene, LONG, 1), [0]);
    equal(await granted(scene, { ...LONG, limit: 7 }, 9), [2]);
  },

  'reserve says at which instant it granted, and none where it did not': async (scene) => {
    const before = await scene.now();
    const [some, none] = await reserve(scene, LONG, 9, 1);
    const after = await scene.now();

    atLeast(some?.grantedAt, before);
    atMost(some?.grantedAt, after);
    strictEqual(none?.grantedAt, undefined);
  },

  'reserve grants nothing below the least number of use, and counts nothing then': async (scene) => {
    equal(await granted(scene, LONG, 3), [3]);
    equal(await granted(scene, { ...LONG, least: 3 }, 3), [0]);
    equal(await granted(scene, { ...LONG, least: 2 }, 3), [2]);
    equal(await granted(scene, { ...LONG, key: 'other', least: 5 }, 9), [5]);
  },

  'reserve says when the least number of use can be granted': async (scene) => {
    const start = await scene.now();
    await reserve(scene, PASSING, 1);
    await scene.advancePast(start + AHEAD_MS / 2);
    const [last] = await reserve(scene, PASSING, 3);
    const [one, two] = [
      ...(await reserve(scene, PASSING, 1)),
      ...(await reserve(scene, { ...PASSING, least: 2 }, 2)),
    ];
    equal([last?.granted, one?.granted, two?.granted], [3, 0, 0]);
    above(two?.availableAt, one?.availableAt ?? 0);

    await scene.advancePast(two?.availableAt ?? 0);

    equal(await granted(scene, { ...PASSING, least: 2 }, 4), [4]);
  },

  'reserve frees the starts that a correction takes away, and no more than were granted then': async (
    scene,
  ) => {
    const [all] = await reserve(scene, LONG, 5);
    const grantedAt = all?.grantedAt ?? 0;

    equal(await scene.broker.reserve([{ key: 'k', grantedAt, count: -2 }]), [{ granted: 0 }]);
    equal(await granted(scene, LONG, 5), [2]);
    await scene.broker.reserve([{ key: 'k', grantedAt, count: -1_000 }]);
    await scene.broker.reserve([{ key: 'k', grantedAt, count: -1_000 }]);

    const [free] = await granted(scene, LONG, 9);
    // The two may have been granted in the same part of the window as the five.
    atLeast(free, 3);
    atMost(free, 5);
  },

  'reserve counts the starts that a correction adds as of when they were granted, also beyond the limit':
    async (scene) => {
      const start = await scene.now();
      const [first] = await reserve(scene, PASSING, 1);
      await scene.advancePast(start + AHEAD_MS / 2);
      await reserve(scene, PASSING, 1);
      await scene.broker.reserve([{ key: 'k', grantedAt: first?.grantedAt ?? 0, count: 4 }]);
      const [full] = await reserve(scene, PASSING, 1);
      strictEqual(full?.granted, 0);
      atMost(full?.availableAt, (first?.grantedAt ?? 0) + Math.ceil(AHEAD_MS * (1 + TOLERANCE)) + 1);

      await scene.advancePast(full?.availableAt ?? 0);

      equal(await granted(scene, PASSING, 9), [3]);
    },

  'reserve corrects the starts of one key alone': async (scene) => {
    const [mine] = await scene.broker.reserve([
      { ...LONG, key: 'other', count: 5 },
      { ...LONG, count: 5 },
    ]);

    await scene.broker.reserve([{ key: 'k', grantedAt: mine?.grantedAt ?? 0, count: -5 }]);

    equal(await granted(scene, { ...LONG, key: 'other' }, 1), [0]);
    equal(await granted(scene, LONG, 5), [5]);
  },

  'reserve corrects starts in all windows by which their key is asked': async (scene) => {
    const longer: Reservation = { ...LONG, windowMs: 2 * LONG_MS };
    await reserve(scene, longer, 1);
    const [some] = await reserve(scene, LONG, 4);

    await scene.broker.reserve([{ key: 'k', grantedAt: some?.grantedAt ?? 0, count: -3 }]);
    equal(await granted(scene, longer, 5), [3]);
    await scene.broker.reserve([{ key: 'k', grantedAt: some?.grantedAt ?? 0, count: 2 }]);

    equal(await granted(scene, { ...LONG, limit: 9 }, 9), [2]);
    equal(await granted(scene, { ...longer, limit: 9 }, 1), [0]);
  },

  'reserve takes requests and corrections of one key in order, in one call': async (scene) => {
    const [first] = await reserve(scene, LONG, 5);
    const correction = { key: 'k', grantedAt: first?.grantedAt ?? 0 };

    const answers = await scene.broker.reserve([
      LONG,
      { ...correction, count: -3 },
      { ...LONG, count: 4 },
      { ...correction, count: 1 },
      LONG,
    ]);

    equal(
      answers.map((answer) => answer.granted),
      [0, 0, 3, 0, 0],
    );
  },

  'reserve passes over a correction of a key that has no starts, and of starts that have left the window':
    async (scene) => {
      const [old] = await reserve(scene, PASSING, 4);
      const grantedAt = old?.grantedAt ?? 0;
      await scene.advancePast(grantedAt + Math.ceil(AHEAD_MS * (1 + TOLERANCE)) + 1);
      equal(await granted(scene, PASSING, 1), [1]);

      const answers = await scene.broker.reserve([
        { key: 'none', grantedAt, count: 5 },
        { key: 'k', grantedAt, count: 4 },
        { key: 'k', grantedAt, count: -4 },
      ]);

      equal(answers, [{ granted: 0 }, { granted: 0 }, { granted: 0 }]);
      equal(await granted(scene, { ...LONG, key: 'none' }, 5), [5]);
      equal(await granted(scene, PASSING, 4), [3]);
    },

  'reserve has nothing to do with runs, lanes and concurrency keys of the same name': async (scene) => {
    equal(await granted(scene, LONG, 5), [5]);

    await scene.submit({ id: 'k', lane: 'k', concurrency });

    equal(await scene.claimIds({ lanes: ['k'] }), ['k']);
    equal(await granted(scene, LONG, 1), [0]);
    equal(await listHolds(scene.broker), []);
  },
};

/** What clients of one storage see of each other's reservations. */
export const reserveClientsCases: CasesByName = {
  'reserve counts the starts of all clients together': async (scene) => {
    const other = { broker: await scene.open() };

    equal(await granted(scene, LONG, 3), [3]);
    equal(await granted(other, LONG, 3), [2]);
    equal(await granted(scene, LONG, 1), [0]);
  },
};
