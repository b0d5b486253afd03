import { randomUUID } from 'node:crypto';
import type { Broker } from '@retry/core/broker';
import { createPostgresBroker } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { expect, it } from 'vitest';
import { createTestSchema, openPool } from '../postgres/open-broker.ts';
import { collect, oldBytes } from '../support/old-bytes.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { removeKeys } from '../support/servers/remove-keys.ts';

/** Runs of one worker. It has about a hundred of them at a time, so that none is in use at two collections. */
const RUNS = 10_000;

/** So much of each run's payload, 2 kB, may live for longer than two collections of young objects, in bytes. */
const MOST_BYTES = 500;

/** Works off all runs, with a collection of young objects now and then, and returns how many bytes became old for each. */
async function agedBytes(broker: Broker): Promise<number> {
  const queue = createQueue({ broker });
  const task = defineTask({ name: `young-${randomUUID()}`, run: async (_: string) => {} });
  await queue.submitMany(task, Array(RUNS).fill('x'.repeat(2_000)));
  collect();
  const before = oldBytes();
  const worker = createWorker({ broker, tasks: [task], concurrency: 10, prefetch: 100, signals: [] });
  let ended = 0;
  await new Promise<void>((resolve) => {
    worker.on('completed', () => {
      ended += 1;
      if (ended % 500 === 0) collect({ type: 'minor' });
      // What is in use now becomes old; nothing that follows may hang on it.
      if (ended === 500) collect({ type: 'minor' });
      if (ended === RUNS) resolve();
    });
    worker.start();
  });
  const bytes = oldBytes() - before;
  await worker.stop();
  return bytes / RUNS;
}

async function expectYoung(broker: Broker): Promise<void> {
  await agedBytes(broker); // code, and what is remembered of it, become old once

  const bytes = await agedBytes(broker);

  expect(bytes).toBeLessThan(MOST_BYTES);
}

describeOnRedis('of a worker over Redis, runs that have ended', (server) => {
  it('are freed without a full collection', async () => {
    const { url } = server();
    const prefix = `young-${randomUUID()}`;
    const broker = createRedisBroker({ url, prefix });

    await expectYoung(broker);

    await broker.close();
    await removeKeys(url, prefix);
  });
});

describeOnPostgres('of a worker over Postgres, runs that have ended', (server) => {
  it('are freed without a full collection', async () => {
    const client = openPool(server().url, 4);
    const schema = await createTestSchema(client);
    const broker = createPostgresBroker({ client, schema: schema.name });

    await expectYoung(broker);

    await broker.close();
    await schema.drop();
    await client.end();
  });
});
