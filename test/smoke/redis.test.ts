import { randomUUID } from 'node:crypto';
import { createRedisBroker } from '@retry/redis-queue';
import { afterAll } from 'vitest';
import { MUTANTS } from '../redis-queue/script-mutants.ts';
import { createPairs } from '../redis-queue/scripted-redis.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { removeKeys } from '../support/servers/remove-keys.ts';
import { describeSmoke } from './describe-smoke.ts';

describeOnRedis('the Redis broker', (server) => {
  const prefix = `smoke-${randomUUID()}`;
  afterAll(() => removeKeys(server().url, prefix));

  describeSmoke({
    mutants: MUTANTS,
    openPairs: () => createPairs(server().url),
    openClient: async () => createRedisBroker({ url: server().url, prefix }),
  });
});
