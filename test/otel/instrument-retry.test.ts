import { context, propagation, trace } from '@opentelemetry/api';
import { createRetryGroup, retry, withRetry } from '@retry/inprocess';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { publishDiagnostics } from '@retry/inprocess/node';
import { instrumentRetry } from '@retry/otel';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Collector, ReceivedSpan } from './collector.ts';
import { startCollector } from './collector.ts';
import type { Telemetry } from './telemetry.ts';
import { startTelemetry } from './telemetry.ts';

const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;

let collector: Collector;
let telemetry: Telemetry;
let stop: () => void;

beforeEach(async () => {
  collector = await startCollector();
  telemetry = startTelemetry(collector.url);
  stop = instrumentRetry({ calls: publishDiagnostics });
});

afterEach(async () => {
  stop();
  await telemetry.close();
  await collector.close();
});

async function receivedSpans(): Promise<readonly ReceivedSpan[]> {
  await telemetry.flush();
  return collector.spans();
}

function named(spans: readonly ReceivedSpan[], name: string): readonly ReceivedSpan[] {
  return spans.filter((span) => span.name === name).sort((a, b) => a.startMs - b.startMs);
}

function failing(times: number): () => Promise<string> {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls <= times) throw new TypeError('secret-of-a-user');
    return 'done';
  };
}

describe('a call in this process', () => {
  it('that was retried is a span below that of its caller, with a child for each attempt', async () => {
    await trace.getTracer('app').startActiveSpan('request', async (span) => {
      await withRetry(failing(2), AT_ONCE, { name: 'load' })();
      span.end();
    });

    const spans = await receivedSpans();
    const [request, call] = [named(spans, 'request')[0], named(spans, 'retry load')[0]];
    expect(call).toMatchObject({
      ...{ traceId: request?.traceId, parentSpanId: request?.spanId, isError: false },
      attributes: { 'retry.attempts': 3, 'retry.name': 'load' },
    });
    const attempts = named(spans, 'attempt');
    expect(attempts.map(({ parentSpanId }) => parentSpanId)).toEqual(Array(3).fill(call?.spanId));
    const byAttempt = new Map(attempts.map((attempt) => [attempt.attributes['retry.attempt'], attempt]));
    expect(byAttempt.get(1)).toMatchObject({
      isError: true,
      attributes: { 'error.type': 'TypeError', 'retry.delay_ms': 0 },
    });
    expect(byAttempt.get(3)).toMatchObject({ isError: false });
  });

  it('that succeeded at the first attempt has no span', async () => {
    await retry(failing(0), AT_ONCE);

    expect(await receivedSpans()).toEqual([]);
  });

  it('that gave up says why, and shows no text of an error', async () => {
    await retry(failing(9), AT_ONCE, { name: 'load' }).catch(() => {});

    const spans = await receivedSpans();
    expect(named(spans, 'retry load')).toMatchObject([
      { isError: true, attributes: { 'error.type': 'TypeError', 'retry.reason': 'exhausted' } },
    ]);
    expect(JSON.stringify(spans)).not.toContain('secret-of-a-user');
  });

  it('that ended before its first attempt makes no attempt', async () => {
    const group = createRetryGroup();
    await group.drain();

    await retry(failing(1), AT_ONCE, { group }).catch(() => {});
    await retry(failing(0), { ...AT_ONCE, initialDelay: '1h' }, { group }).catch(() => {});

    expect(await receivedSpans()).toEqual([]);
  });

  it('keeps the delays of a seeded call: the id is not drawn', async () => {
    let drawn = 0;
    const random = (): number => {
      drawn += 1;
      return 0.5;
    };
    const draws = async (): Promise<number> => {
      drawn = 0;
      await retry(failing(2), { backoff: { type: 'constant', base: 1 }, jitter: 'full' }, { random });
      return drawn;
    };

    const withSpans = await draws();
    stop();
    expect(withSpans).toBe(await draws());
  });
});

describe('a run', () => {
  it('is sent, processed and settled in one trace; each attempt is linked to the submission and to the one before', async () => {
    await using broker = createMemoryBroker();
    const seen: (string | undefined)[] = [];
    const attemptOnce = failing(1);
    const task = defineTask({
      name: 'mail',
      retry: AT_ONCE,
      run: async (_: null, ctx) => {
        seen.push(trace.getActiveSpan()?.spanContext().spanId, ctx.context);
        seen.push(propagation.getBaggage(context.active())?.getEntry('user')?.value);
        return attemptOnce();
      },
    });
    const queue = createQueue({ broker });
    const baggage = propagation.createBaggage({ user: { value: 'ada' } });

    await context.with(propagation.setBaggage(context.active(), baggage), () => queue.submit(task, null));
    await createWorker({ broker, tasks: [task], signals: [] }).drain();

    const spans = await receivedSpans();
    const [send] = named(spans, 'send mail');
    const processed = named(spans, 'process mail');
    expect(send).toMatchObject({
      kind: 4,
      attributes: { 'messaging.system': 'retry', 'messaging.operation.type': 'send' },
    });
    expect(processed).toMatchObject([
      { kind: 5, traceId: send?.traceId, parentSpanId: send?.spanId, isError: true },
      { kind: 5, traceId: send?.traceId, parentSpanId: send?.spanId, isError: false },
    ]);
    expect(processed.map(({ links }) => links.map(({ spanId }) => spanId))).toEqual([
      [send?.spanId],
      [send?.spanId, processed[0]?.spanId],
    ]);
    expect(
      named(spans, 'settle mail').map(({ parentSpanId, attributes }) => [
        parentSpanId,
        attributes['retry.outcome'],
      ]),
    ).toEqual([
      [processed[0]?.spanId, 'retried'],
      [processed[1]?.spanId, 'completed'],
    ]);
    const context1 = `00-${send?.traceId}-${send?.spanId}-01\n\nuser=ada`;
    expect(seen).toEqual([processed[0]?.spanId, context1, 'ada', processed[1]?.spanId, context1, 'ada']);
  });

  it('that was redriven is linked to the attempt by which it became a dead letter', async () => {
    await using broker = createMemoryBroker();
    const attemptOnce = failing(1);
    const task = defineTask({ name: 'mail', retry: { maxAttempts: 1 }, run: attemptOnce });
    const queue = createQueue({ broker });
    const { id } = await queue.submit(task, null);
    await createWorker({ broker, tasks: [task], signals: [] }).drain();

    await queue.deadLetters.redrive({ ids: [id] });
    await createWorker({ broker, tasks: [task], signals: [] }).drain();

    const [dead, redriven] = named(await receivedSpans(), 'process mail');
    expect(redriven?.links.map(({ spanId }) => spanId)).toContain(dead?.spanId);
  });

  it('keeps the context of its submitter, and a context too large leaves out what finds no room', async () => {
    await using broker = createMemoryBroker();
    const task = defineTask({ name: 'mail', run: () => {} });
    const queue = createQueue({ broker });
    const large = propagation.createBaggage({ user: { value: 'x'.repeat(600) } });

    const own = await queue.submit(task, null, { context: 'mine' });
    const other = await context.with(propagation.setBaggage(context.active(), large), () =>
      queue.submitMany(task, [null, null]),
    );

    const [first, ...rest] = await broker.get([own.id, ...other.map(({ id }) => id)]);
    expect(first?.context).toBe('mine');
    for (const run of rest) expect(run?.context).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  it('whose submission is refused has a failed span, and its caller the error', async () => {
    const broker = createMemoryBroker();
    await broker.close();
    const task = defineTask({ name: 'mail', run: () => {} });

    await expect(createQueue({ broker }).submit(task, null)).rejects.toMatchObject({ code: 'BROKER_CLOSED' });

    expect(named(await receivedSpans(), 'send mail')).toMatchObject([{ isError: true }]);
  });
});

describe('metrics', () => {
  it('have a bounded number of series, whatever names and errors come', async () => {
    await using broker = createMemoryBroker();
    const queue = createQueue({ broker });
    const tasks = Array.from({ length: 300 }, (_, index) =>
      defineTask({
        name: `task-${index}`,
        retry: { maxAttempts: 1 },
        run: () => {
          const error = new Error(`of ${index}`);
          error.name = `Error${index}`;
          throw error;
        },
      }),
    );
    for (let round = 0; round < 2; round += 1)
      await Promise.all(tasks.map((task) => queue.submit(task, null)));
    for (let index = 0; index < 300; index += 1) await retry(failing(1), AT_ONCE, { name: `call-${index}` });
    await createWorker({ broker, tasks, concurrency: 200, signals: [] }).drain();
    await telemetry.flush();

    const points = collector.points();
    const seriesOf = (metric: string): number => points.filter((point) => point.metric === metric).length;
    const total = (metric: string): number =>
      points.filter((point) => point.metric === metric).reduce((sum, { value }) => sum + value, 0);
    expect(total('messaging.client.sent.messages')).toBe(600);
    expect(total('retry.dead_letters')).toBe(600);
    expect(seriesOf('messaging.client.sent.messages')).toBe(101);
    expect(seriesOf('retry.dead_letters')).toBe(101);
    expect(seriesOf('retry.call.attempts')).toBe(101);
    expect(seriesOf('messaging.process.duration')).toBeLessThanOrEqual(101 + 31);
    expect(
      new Set(points.map((point) => JSON.stringify([point.metric, point.attributes]))).size,
    ).toBeLessThan(1_500);
    expect(JSON.stringify(points)).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|task-250|call-250/);
  });

  it('measure durations and lateness, and count outcomes by reason', async () => {
    await using broker = createMemoryBroker();
    const task = defineTask({ name: 'mail', retry: AT_ONCE, run: failing(1) });
    await createQueue({ broker }).submit(task, null);
    await createWorker({ broker, tasks: [task], signals: [] }).drain();
    await telemetry.flush();

    const points = collector.points();
    const of = (metric: string) =>
      points.filter((point) => point.metric === metric).map(({ attributes, value }) => [attributes, value]);
    expect(of('retry.run.outcomes')).toEqual([
      [{ 'retry.task': 'mail', 'retry.outcome': 'retried', 'retry.reason': 'expected' }, 1],
      [{ 'retry.task': 'mail', 'retry.outcome': 'completed' }, 1],
    ]);
    expect(of('messaging.process.duration').map(([, count]) => count)).toEqual([1, 1]);
    expect(of('retry.run.lateness').length).toBeGreaterThan(0);
  });
});

describe('instrumentRetry', () => {
  it('leaves nothing behind once it has ended', async () => {
    stop();

    await retry(failing(1), AT_ONCE);
    await using broker = createMemoryBroker();
    const task = defineTask({ name: 'mail', run: (_: null, ctx) => ctx.context ?? 'none' });
    const { id } = await createQueue({ broker }).submit(task, null);
    await createWorker({ broker, tasks: [task], signals: [] }).drain();

    expect((await broker.get([id]))[0]).toMatchObject({ result: '"none"' });
    expect(await receivedSpans()).toEqual([]);
  });

  it('names every wrong option', () => {
    expect(() => instrumentRetry({ tracer: 5, meters: 1, spans: 'all' } as never)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        problems: [
          expect.objectContaining({ path: 'meters' }),
          expect.objectContaining({ path: 'tracer' }),
          expect.objectContaining({ path: 'spans' }),
        ],
      }),
    );
  });

  it('changes nothing where a tracer throws', async () => {
    stop();
    const startSpan = (): never => {
      throw new Error('broken tracer');
    };
    stop = instrumentRetry({ calls: publishDiagnostics, tracer: { startSpan } as never });

    expect(await retry(failing(1), AT_ONCE)).toBe('done');
    await using broker = createMemoryBroker();
    const task = defineTask({ name: 'mail', run: () => 'ran' });
    const { id } = await createQueue({ broker }).submit(task, null);
    await createWorker({ broker, tasks: [task], signals: [] }).drain();
    expect((await broker.get([id]))[0]?.result).toBe('"ran"');
  });
});
