import { createRedisBroker, type RedisBrokerOptions } from '@retry/redis-queue';
import { describe, expect, it } from 'vitest';
import { eachWrongOption, NO_OPTIONS, refusalOf, refusedPaths } from '../support/wrong-input.ts';

describe('createRedisBroker', () => {
  it.each(NO_OPTIONS)('refuses %s', async (_kind, given) => {
    const error = await refusalOf(() => createRedisBroker(given as never));

    expect(error.message).toMatch(/^invalid Redis broker\n/);
  });

  // A key that is missing here does not compile, and one that is not checked fails.
  const byUrl: Required<Omit<RedisBrokerOptions, 'client'>> = {
    url: 'redis://localhost:1',
    prefix: 'retry',
    partitions: 1,
    keepCompleted: { count: 5, bytes: 1_000 },
    keepDead: { for: '1d' },
    keepKeys: '1h',
    durability: 'server',
    allowEviction: false,
    onError: () => {},
  };

  it.each([byUrl, { client: {} }])('checks every option of %o', async (valid) => {
    for (const [key, name, options] of eachWrongOption(valid)) {
      expect([name, ...(await refusedPaths(() => createRedisBroker(options)))]).toContain(key);
    }
  });
});
