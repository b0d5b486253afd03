import { it } from 'vitest';
import { assertWalks } from '../support/list-walks.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';

describeOnRedis('the Redis broker', (server) => {
  it('lists each run that stays once, whatever moves between the pages', async () => {
    await assertWalks(async () => {
      const { broker, close } = await openRedisHarness(server().url);
      return { ...broker, close };
    });
  });
});
