import { afterAll, beforeAll } from 'vitest';
import type { WorkerHarness } from '../contract/worker/worker-scene.ts';
import { openRedisQueue } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { onServer } from './arenas.ts';
import { describeScenes } from './describe-scenes.ts';
import { WRITTEN_SCENES } from './scenes.ts';

describeOnRedis('scenes', (server) => {
  let harness: WorkerHarness;
  beforeAll(async () => {
    harness = await openRedisQueue(server().url, { keepCompleted: { count: Infinity } });
  });
  afterAll(() => harness.close());
  describeScenes('by a worker on the Redis broker', 'real', () => onServer(() => harness.connect()));
  describeScenes(
    'by a worker on the Redis broker, with the policy of the submission',
    'real',
    () => onServer(() => harness.connect(), 'submission'),
    WRITTEN_SCENES,
  );
});
