import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context, propagation, trace } from '@opentelemetry/api';
import { createRetryBudget, createRetryGroup, retry, withRetry } from '@retry/inprocess';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createRetryFetch } from '@retry/inprocess/fetch';
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

  it('has the spans of what its retries call below them, and of every attempt where each call has a span', async () => {
    const callOnce = failing(1);
    const client = async (): Promise<string> => {
      trace.getTracer('app').startSpan('client').end();
      return callOnce();
    };
    const parents = async (): Promise<readonly string[]> => {
      const spans = await receivedSpans();
      const names = new Map(
        spans.map(({ spanId, name, attributes }) => [spanId, `${name} ${attributes['retry.attempt'] ?? ''}`]),
      );
      return named(spans, 'client').map(({ parentSpanId = '' }) => names.get(parentSpanId)?.trim() ?? 'none');
    };

    await trace.getTracer('app').startActiveSpan('request', async (span) => {
      await retry(client, AT_ONCE);
      span.end();
    });
    expect(await parents()).toEqual(['request', 'attempt 2']);

    stop();
    stop = instrumentRetry({ calls: publishDiagnostics, spans: 'every' });
    await retry(client, AT_ONCE);
    expect(await parents()).toEqual(['request', 'attempt 2', 'attempt 1']);
  });

  it('whose attempt goes on after its timeout has a span of the rest, linked to the attempt', async () => {
    let end = (): void => {};
    const rest = new Promise<void>((resolve) => {
      end = resolve;
    });
    const slowOnce = ({ attempt }: { readonly attempt: number }): unknown => (attempt === 1 ? rest : 'done');

    await retry(slowOnce, { ...AT_ONCE, attemptTimeout: 10 });
    end();
    await rest;

    const spans = await receivedSpans();
    const first = named(spans, 'attempt').find(({ attributes }) => attributes['retry.attempt'] === 1);
    expect(first).toMatchObject({ isError: true, attributes: { 'error.type': 'AttemptTimeoutError' } });
    const [late] = named(spans, 'late attempt');
    expect(late).toMatchObject({ parentSpanId: undefined, links: [{ spanId: first?.spanId }] });
    expect(late?.traceId).not.toBe(first?.traceId);
  });

  it('says who asked for the delay: the policy, or a server', async () => {
    const errors = [
      new Error('busy'),
      Object.assign(new Error('busy'), { headers: { 'retry-after-ms': '7' } }),
    ];
    const policy = {
      backoff: { type: 'constant', base: 1 },
      jitter: 'none',
      retryAfter: { jitter: 'none' },
    } as const;

    await retry(() => {
      const error = errors.shift();
      if (error !== undefined) throw error;
    }, policy);

    const attempts = named(await receivedSpans(), 'attempt');
    const byAttempt = new Map(attempts.map(({ attributes }) => [attributes['retry.attempt'], attributes]));
    expect(byAttempt.get(1)).toMatchObject({ 'retry.delay_ms': 1, 'retry.delay_asked_by': 'policy' });
    expect(byAttempt.get(2)).toMatchObject({ 'retry.delay_ms': 7, 'retry.delay_asked_by': 'server' });
  });

  it('of fetch counts how often its request was sent again', async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.writeHead(requests < 3 ? 503 : 200).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // it listens on a port

    await (await createRetryFetch(AT_ONCE)(`http://127.0.0.1:${port}/`)).text();

    const attempts = named(await receivedSpans(), 'attempt').map(({ attributes }) => [
      attributes['retry.attempt'],
      attributes['http.request.method'],
      attributes['http.request.resend_count'],
    ]);
    expect(attempts.sort()).toEqual([
      [1, 'GET', undefined],
      [2, 'GET', 1],
      [3, 'GET', 2],
    ]);
    server.close();
  });

  it('has the first 99 attempts and the last one', async () => {
    await retry(failing(149), { ...AT_ONCE, maxAttempts: 150 });

    const spans = await receivedSpans();
    const attempts = named(spans, 'attempt').map(({ attributes }) => Number(attributes['retry.attempt']));
    expect(attempts.sort((a, b) => a - b)).toEqual([
      ...Array.from({ length: 99 }, (_, index) => index + 1),
      150,
    ]);
    expect(named(spans, 'retry failing')).toEqual([]);
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

  it('is sent in a span, too, where it is submitted in place of another one, whose trace it continues', async () => {
    await using broker = createMemoryBroker();
    const task = defineTask({ name: 'mail', run: () => {} });
    const queue = createQueue({ broker });
    const { id } = await queue.submit(task, null);

    const again = await queue.resubmit(id);
    await createWorker({ broker, tasks: [task], signals: [] }).drain();

    const spans = await receivedSpans();
    const sent = named(spans, 'send mail');
    expect(sent.map(({ attributes }) => attributes['messaging.message.id'])).toEqual([id, again?.id]);
    expect(named(spans, 'process mail').map(({ traceId }) => traceId)).toEqual([
      sent[0]?.traceId,
      sent[0]?.traceId,
    ]);
  });

  it('is received in a span of its own, linked to the submissions', async () => {
    await using broker = createMemoryBroker();
    const task = defineTask({ name: 'mail', run: () => {} });
    await createQueue({ broker }).submitMany(task, [null, null]);
    await createWorker({ broker, tasks: [task], signals: [], name: 'w1' }).drain();

    const spans = await receivedSpans();
    const [send] = named(spans, 'send mail');
    expect(named(spans, 'receive mail')).toMatchObject([
      {
        ...{ kind: 3, parentSpanId: undefined, links: [{ spanId: send?.spanId }, { spanId: send?.spanId }] },
        attributes: {
          'messaging.operation.type': 'receive',
          'messaging.destination.name': 'mail',
          'messaging.batch.message_count': 2,
          'messaging.client.id': 'w1',
        },
      },
    ]);
  });

  it('is linked to its attempt before, though another process has made that', async () => {
    await using broker = createMemoryBroker();
    const task = defineTask({ name: 'mail', retry: AT_ONCE, run: failing(1) });
    await createQueue({ broker }).submit(task, null);
    await createWorker({ broker, tasks: [task], signals: [] }).drain({ maxRuns: 1 });

    stop();
    stop = instrumentRetry(); // which remembers nothing
    await createWorker({ broker, tasks: [task], signals: [] }).drain();

    const [first, second] = named(await receivedSpans(), 'process mail');
    expect(second?.links.map(({ spanId }) => spanId)).toContain(first?.spanId);
  });

  it('says that a server, or the handler, asked for the delay', async () => {
    await using broker = createMemoryBroker();
    const errors = [Object.assign(new Error('busy'), { headers: { 'retry-after-ms': '1' } })];
    const task = defineTask({
      name: 'mail',
      retry: { backoff: { type: 'none' }, retryAfter: { jitter: 'none' } },
      run: (_: null, ctx) => {
        const error = errors.shift();
        if (error !== undefined) throw error;
        if (ctx.attempt === 2) ctx.retry({ delay: 0 });
      },
    });
    await createQueue({ broker }).submit(task, null);
    const worker = createWorker({ broker, tasks: [task], signals: [] });
    worker.start();
    await worker.whenIdle();
    await worker.stop();

    const settled = named(await receivedSpans(), 'settle mail').map(({ attributes }) => [
      attributes['retry.outcome'],
      attributes['retry.delay_asked_by'],
    ]);
    expect(settled).toEqual([
      ['retried', 'server'],
      ['retried', 'handler'],
      ['completed', undefined],
    ]);
  });

  it('that was redriven is linked to the attempt by which it became a dead letter, though another process has made that', async () => {
    await using broker = createMemoryBroker();
    const attemptOnce = failing(1);
    const task = defineTask({ name: 'mail', retry: { maxAttempts: 1 }, run: attemptOnce });
    const queue = createQueue({ broker });
    const { id } = await queue.submit(task, null);
    await createWorker({ broker, tasks: [task], signals: [] }).drain();

    stop();
    stop = instrumentRetry(); // which remembers nothing
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
  it('measure what retry budgets have left', async () => {
    stop();
    const budget = createRetryBudget({ type: 'token-bucket', capacity: 100, costs: { default: 5 } });
    stop = instrumentRetry({ calls: publishDiagnostics, budgets: { payments: budget } });
    await retry(failing(9), AT_ONCE, { budget }).catch(() => {});
    await telemetry.flush();

    expect(collector.points().filter(({ metric }) => metric === 'retry.budget.left')).toMatchObject([
      { attributes: { 'retry.budget': 'payments' }, value: 90 },
    ]);
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
    expect(() =>
      instrumentRetry({ tracer: 5, meters: 1, spans: 'all', budgets: { payments: 5 } } as never),
    ).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        problems: [
          expect.objectContaining({ path: 'meters' }),
          expect.objectContaining({ path: 'tracer' }),
          expect.objectContaining({ path: 'budgets' }),
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
