import type { Reservation } from '@retry/core/broker';
import { equal, rejectsWith } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { LONG_MS } from '../case-scene.ts';

const LIMIT: Reservation = { key: 'k', limit: 5, windowMs: LONG_MS, count: 1 };

const DAY_MS = 86_400_000;

/** Which reservations are refused, and what the others may hold. */
export const reserveInputCases: CasesByName = {
  'reserve refuses a wrong %s, and counts nothing': each(
    () =>
      [
        ['empty key', 'key', ''],
        ['long key', 'key', 'x'.repeat(513)],
        ['limit of 0', 'limit', 0],
        ['limit with a fraction', 'limit', 1.5],
        ['limit that is too high', 'limit', 1_000_000_001],
        ['window of 0', 'windowMs', 0],
        ['window of more than 366 days', 'windowMs', 366 * DAY_MS + 1],
        ['count of 0', 'count', 0],
        ['count that is no number', 'count', Number.NaN],
        ['least number of 0', 'least', 0],
        ['least number with a fraction', 'least', 1.5],
        ['least number that is more than the count', 'least', 2],
      ] as const,
    async ({ broker }, [, key, value]) => {
      const call = broker.reserve([
        { ...LIMIT, count: 5 },
        { ...LIMIT, [key]: value },
      ]);

      await rejectsWith(call, { code: 'INVALID_OPTIONS', problems: [{ path: `[1].${key}` }] });
      equal((await broker.reserve([LIMIT]))[0]?.granted, 1);
    },
  ),

  'reserve refuses a least number above the limit': async ({ broker }) => {
    const call = broker.reserve([{ ...LIMIT, count: 9, least: 6 }]);

    await rejectsWith(call, { code: 'INVALID_OPTIONS', problems: [{ path: '[0].least' }] });
  },

  'reserve refuses a correction with a wrong %s, and corrects nothing': each(
    () =>
      [
        ['empty key', 'key', ''],
        ['instant with a fraction', 'grantedAt', 1.5],
        ['instant before 1970', 'grantedAt', -1],
        ['count that is no number', 'count', Number.NaN],
        ['count that is too high', 'count', 1_000_000_001],
        ['count that is too low', 'count', -1_000_000_001],
      ] as const,
    async ({ broker }, [, key, value]) => {
      const [all] = await broker.reserve([{ ...LIMIT, count: 5 }]);
      const correction = { key: 'k', grantedAt: all?.grantedAt ?? 0, count: -1 };
      const call = broker.reserve([correction, { ...correction, [key]: value }]);

      await rejectsWith(call, { code: 'INVALID_OPTIONS', problems: [{ path: `[1].${key}` }] });
      equal((await broker.reserve([LIMIT]))[0]?.granted, 0);
    },
  ),

  'reserve takes any name as a key: %s': each(
    () => ['{a}', "'; drop table x; --", '__proto__', 'ä€😀', 'k:l', '%s $1 \\', 'x'.repeat(512)],
    async ({ broker }, key) => {
      const answers = await broker.reserve([
        { ...LIMIT, key, count: 4 },
        { ...LIMIT, key: 'other', count: 5 },
        { ...LIMIT, key, count: 4 },
      ]);

      equal(
        answers.map(({ granted }) => granted),
        [4, 5, 1],
      );
    },
  ),

  'reserve tells keys apart that differ in case or in how a letter is written': async ({ broker }) => {
    const answers = await broker.reserve(
      ['k', 'K', 'k ', 'é', 'e\u0301'].map((key) => ({ ...LIMIT, key, count: 5 })),
    );

    equal(
      answers.map(({ granted }) => granted),
      [5, 5, 5, 5, 5],
    );
  },

  'reserve takes the largest limit and the longest window': async ({ broker }) => {
    const most: Reservation = { key: 'k', limit: 1_000_000_000, windowMs: 366 * DAY_MS, count: 999_999_999 };

    const [first, second] = await broker.reserve([most, most]);

    equal([first?.granted, second?.granted], [999_999_999, 1]);
  },

  'reserve takes windows of a few milliseconds': async (scene) => {
    const short: Reservation = { key: 'k', limit: 1, windowMs: 1, count: 1 };
    equal((await scene.broker.reserve([short]))[0]?.granted, 1);

    await scene.advance(5);

    equal((await scene.broker.reserve([short]))[0]?.granted, 1);
  },
};
