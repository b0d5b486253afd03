import type { Broker } from '@retry/core/broker';
import { createRedisBroker } from '@retry/redis-queue';
import type { DrainOptions } from '@retry/worker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { expect, it } from 'vitest';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';

/** How long the drains may claim. Their handlers could go on for `shutdownTimeout`, 25 s, if any were called. */
const LIMIT_MS = 2_000;

const task = defineTask({ name: 'drained', run: () => {} });

/** Drains while the server is dead, by a broker that has been in use. @returns why it was rejected, and after how many ms */
async function drainWithout(limits: () => DrainOptions) {
  const server = await startPrivateRedis();
  const broker: Broker = createRedisBroker({ url: server.url, onError: () => {} });
  await createQueue({ broker }).submit(task);
  process.kill(server.pid(), 'SIGKILL');
  const worker = createWorker({ broker, tasks: [task], signals: [] });
  worker.on('error', () => {});

  const startedAt = performance.now();
  const error = await worker.drain(limits()).then(
    () => 'no error',
    (error: unknown) => error,
  );
  const tookMs = performance.now() - startedAt;

  await broker.close();
  await server.stop();
  return { error, tookMs };
}

describeOnPrivateRedis('worker.drain, where Redis was killed', () => {
  it.each([
    ['maxMs', () => ({ maxMs: LIMIT_MS })],
    ['signal', () => ({ signal: AbortSignal.timeout(LIMIT_MS) })],
  ] as const)(
    'rejects when %s ends it, and waits for no handler that was never called',
    async (_, limits) => {
      const { error, tookMs } = await drainWithout(limits);

      expect(error).toBeInstanceOf(Error);
      expect(tookMs).toBeLessThan(20_000);
    },
  );
});
