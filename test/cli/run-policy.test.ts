import { settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';
import { completeEnvironment } from '../../packages/cli/src/environment.ts';
import { readRunPolicy } from '../../packages/cli/src/run/run-policy.ts';

const EXPONENTIAL = { backoff: { type: 'exponential', base: '5ms', factor: 3 } };
const LINEAR = { backoff: { type: 'linear', base: '7ms' } };
const NONE = { backoff: { type: 'none' } };

describe('the policy of retry run', () => {
  it.each([
    [{}, { type: 'exponential', baseMs: 1_000, factor: 2 }],
    [{ base: 300 }, { type: 'exponential', baseMs: 300, factor: 2 }],
    [{ backoff: 'exponential' }, { type: 'exponential', baseMs: 1_000, factor: 2 }],
    [{ backoff: 'constant' }, { type: 'constant', baseMs: 1_000 }],
    [{ backoff: 'none' }, { type: 'none' }],
    [{ policy: EXPONENTIAL }, { type: 'exponential', baseMs: 5, factor: 3 }],
    [
      { policy: EXPONENTIAL, backoff: 'exponential' },
      { type: 'exponential', baseMs: 5, factor: 3 },
    ],
    [
      { policy: EXPONENTIAL, base: 300 },
      { type: 'exponential', baseMs: 300, factor: 3 },
    ],
    [
      { policy: EXPONENTIAL, backoff: 'exponential', base: 0 },
      { type: 'exponential', baseMs: 0, factor: 3 },
    ],
    [
      { policy: EXPONENTIAL, backoff: 'constant' },
      { type: 'constant', baseMs: 1_000 },
    ],
    [
      { policy: EXPONENTIAL, backoff: 'constant', base: 300 },
      { type: 'constant', baseMs: 300 },
    ],
    [
      { policy: {}, backoff: 'exponential' },
      { type: 'exponential', baseMs: 100, factor: 2 },
    ],
    [
      { policy: LINEAR, backoff: 'linear' },
      { type: 'linear', baseMs: 7 },
    ],
    [
      { policy: NONE, backoff: 'linear', base: 300 },
      { type: 'linear', baseMs: 300 },
    ],
    [{ policy: NONE, backoff: 'none' }, { type: 'none' }],
  ] as const)('keeps of a policy what the options do not change: %j', async (options, backoff) => {
    const { policy, ...given } = { policy: undefined, ...options };
    const text = policy && JSON.stringify(policy);

    const read = await readRunPolicy(
      { ...given, ...(text !== undefined && { policy: text }) },
      completeEnvironment({}),
    );

    expect(settingsOf(read).backoff).toMatchObject(backoff);
  });

  it.each([
    [{ backoff: 'none', base: 300 }],
    [{ policy: JSON.stringify(NONE), base: 300 }],
    [{ policy: JSON.stringify(EXPONENTIAL), backoff: 'none', base: 300 }],
  ] as const)('refuses a base that would be ignored: %j', async (options) => {
    await expect(readRunPolicy(options, completeEnvironment({}))).rejects.toMatchObject({
      code: 'WRONG_USAGE',
      message: expect.stringContaining('--base belongs to a backoff that waits, and this one is none.'),
    });
  });
});
