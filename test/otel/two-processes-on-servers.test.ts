import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { trace } from '@opentelemetry/api';
import type { Broker } from '@retry/core/broker';
import { instrumentRetry } from '@retry/otel';
import { createPostgresBroker } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import { createQueue } from '@retry/worker';
import { expect, it } from 'vitest';
import { createTestSchema, openPool } from '../postgres/open-broker.ts';
import { startProgram } from '../support/programs/start-program.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { removeKeys } from '../support/servers/remove-keys.ts';
import type { ReceivedSpan } from './collector.ts';
import { startCollector } from './collector.ts';
import { createTracedTask } from './fixtures/traced-task.ts';
import { startTelemetry } from './telemetry.ts';

const FIXTURE = fileURLToPath(new URL('fixtures/traced-worker.ts', import.meta.url));

/** Prints the spans as a tree, in the order of their starts. */
function printTree(spans: readonly ReceivedSpan[], parentId: string | undefined, depth = 0): string {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parentId)
    .sort((a, b) => a.startMs - b.startMs)
    .map((span) => {
      const { 'retry.outcome': outcome = '', 'retry.attempt': attempt = '' } = span.attributes;
      const line = `${'  '.repeat(depth)}${span.name} ${attempt}${outcome} ${span.isError ? 'ERROR' : ''}`;
      return `${line.trimEnd()}\n${printTree(spans, span.spanId, depth + 1)}`;
    })
    .join('');
}

async function expectOneTrace(broker: Broker, args: readonly string[]): Promise<void> {
  const collector = await startCollector();
  const telemetry = startTelemetry(collector.url);
  const stop = instrumentRetry();
  const queue = createQueue({ broker });
  const task = createTracedTask(() => {});

  await trace.getTracer('app').startActiveSpan('request', async (span) => {
    await queue.submit(task, 'Ada');
    span.end();
  });
  for (const _ of ['first attempt', 'second attempt']) {
    const child = startProgram([FIXTURE, ...args, collector.url]);
    expect((await once(child, 'exit'))[0]).toBe(0);
  }
  stop();
  await telemetry.close();

  const received = collector.spans().filter(({ name }) => name === 'receive mail');
  const spans = collector.spans().filter(({ name }) => name !== 'receive mail');
  const tree = printTree(spans, undefined);
  expect(tree).toBe(`request
  send mail
    process mail 1 ERROR
      settle mail retried
    process mail 2
      settle mail completed
`);
  const [send] = spans.filter(({ name }) => name === 'send mail');
  const [first, second] = ['1', '2'].map((attempt) =>
    spans.find(({ attributes }) => String(attributes['retry.attempt']) === attempt),
  );
  expect(second?.links.map(({ spanId }) => spanId)).toEqual([send?.spanId, first?.spanId]);
  expect(received.map(({ links }) => links.map(({ spanId }) => spanId))).toEqual([
    [send?.spanId],
    [send?.spanId],
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  await collector.close();
}

describeOnRedis('a trace across three processes, over Redis', (server) => {
  it('has the request, the submission, each attempt and its settlement', async () => {
    const { url } = server();
    const prefix = `otel-${randomUUID()}`;
    const broker = createRedisBroker({ url, prefix });

    await expectOneTrace(broker, ['redis', url, prefix]);

    await broker.close();
    await removeKeys(url, prefix);
  });
});

describeOnPostgres('a trace across three processes, over Postgres', (server) => {
  it('has the request, the submission, each attempt and its settlement', async () => {
    const { url } = server();
    const pool = openPool(url, 1);
    const schema = await createTestSchema(pool);
    const broker = createPostgresBroker({ url, schema: schema.name });

    await expectOneTrace(broker, ['postgres', url, schema.name]);

    await broker.close();
    await schema.drop();
    await pool.end();
  });
});
