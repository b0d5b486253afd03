import type { TestOptions } from 'vitest';
import { afterAll, beforeAll, describe } from 'vitest';
import type { RedisServer } from './redis.ts';
import { findRedisBinary, hasRedis, openRedis, REDIS_CURE } from './redis.ts';

/** What the summary of a run counts the tests by. */
const ON_REDIS = { engine: 'Redis' } as const;

/** Tests that need a Redis: run on one, or visibly skipped with the command that would supply it. */
export function describeOnRedis(
  name: string,
  body: (server: () => RedisServer) => void,
  options: TestOptions = {},
): void {
  if (!hasRedis()) {
    describe.skip(`${name} (not run: no Redis here. ${REDIS_CURE})`, () => body(() => missing()));
    return;
  }
  describe(name, { ...options, meta: ON_REDIS }, () => {
    let server: RedisServer | undefined;
    beforeAll(async () => {
      server = await openRedis();
    });
    afterAll(() => server?.stop());
    body(() => server ?? missing());
  });
}

/** Tests that kill, stop or reconfigure their server: always a private one. */
export function describeOnPrivateRedis(name: string, body: () => void): void {
  if (findRedisBinary() !== undefined) describe(name, { meta: ON_REDIS }, body);
  else describe.skip(`${name} (not run: no redis-server on this machine. ${REDIS_CURE})`, body);
}

function missing(): never {
  throw new Error(`No Redis server is running. ${REDIS_CURE}`);
}
