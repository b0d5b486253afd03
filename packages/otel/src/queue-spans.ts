import type { Attributes, Context, Link, Span, SpanContext, Tracer } from '@opentelemetry/api';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { listenTo } from './channels.ts';
import { errorType } from './error-type.ts';
import type { HandlingMessage, RunMessage, SubmittingMessage } from './messages.ts';
import { readContext, writeContext } from './trace-context.ts';

/** How many runs are remembered between two attempts in this process, and how many settlements are awaited: the latest ones. */
const MAX_REMEMBERED = 10_000;

/** A handler that has returned, whose outcome is being settled. */
interface Handled {
  readonly inside: Context;
  readonly endedAt: number;
}

/** How a settled attempt ended, by the event of its worker. */
const OUTCOMES = [
  'completed',
  'retried',
  'failed',
  'stalled',
  'released',
  'cancelled',
  'limited',
  'fenced',
] as const;

/**
 * Makes spans of queues and workers by the conventions for messaging: `send` where runs are submitted, `process` around each handler,
 * `settle` from its return until the broker has accepted the outcome. The context of `send` travels with the run. An attempt is a child of
 * its submission, and linked to it and to the attempt before, where that was made in this process.
 *
 * @returns ends it
 */
export function traceQueues(tracer: Tracer): () => void {
  const handled = new Map<string, Handled>();
  const attempts = new Map<string, SpanContext>();
  const settle = (outcome: (typeof OUTCOMES)[number], message: RunMessage): void => {
    if (outcome === 'completed') attempts.delete(message.id);
    const key = keyOf(message);
    const end = handled.get(key);
    if (end === undefined || !handled.delete(key)) return;
    makeSettleSpan(tracer, end, { outcome, message });
  };
  return listenTo({
    'retry:queue:submitting': (call: SubmittingMessage) => sendInSpan(tracer, call),
    'retry:worker:handling': (call: HandlingMessage) => {
      const span = startProcessSpan(tracer, call, attempts.get(call.id));
      const inside = trace.setSpan(readContext(call.context), span);
      remember(attempts, call.id, span.spanContext());
      callInSpan(call, { span, inside }, () =>
        remember(handled, keyOf(call), { inside, endedAt: Date.now() }),
      );
    },
    ...Object.fromEntries(
      OUTCOMES.map((outcome) => [
        `retry:worker:${outcome}`,
        (message: RunMessage) => settle(outcome, message),
      ]),
    ),
  });
}

function sendInSpan(tracer: Tracer, call: SubmittingMessage): void {
  const { task, ids, send } = call;
  const attributes: Attributes = {
    ...messaging(task, 'send'),
    ...(ids.length === 1
      ? { 'messaging.message.id': ids[0] ?? '' }
      : { 'messaging.batch.message_count': ids.length }),
  };
  const span = tracer.startSpan(`send ${task}`, { kind: SpanKind.PRODUCER, attributes });
  const inside = trace.setSpan(context.active(), span);
  call.context = writeContext(inside);
  call.send = async () => {
    try {
      return await context.with(inside, send);
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  };
}

function startProcessSpan(tracer: Tracer, call: HandlingMessage, before: SpanContext | undefined): Span {
  const { id, task, attempt, epoch } = call;
  const parent = readContext(call.context);
  const submission = trace.getSpanContext(parent);
  const links: Link[] = [
    ...(submission === undefined
      ? []
      : [{ context: submission, attributes: { 'retry.link': 'submission' } }]),
    ...(before === undefined ? [] : [{ context: before, attributes: { 'retry.link': 'previous attempt' } }]),
  ];
  const attributes: Attributes = {
    ...messaging(task, 'process'),
    'messaging.message.id': id,
    'retry.attempt': attempt,
    'retry.epoch': epoch,
  };
  return tracer.startSpan(`process ${task}`, { kind: SpanKind.CONSUMER, attributes, links }, parent);
}

interface Inside {
  readonly span: Span;
  readonly inside: Context;
}

function callInSpan(call: HandlingMessage, { span, inside }: Inside, onEnd: () => void): void {
  const { call: handler } = call;
  call.call = async () => {
    try {
      return await context.with(inside, handler);
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      onEnd();
      span.end();
    }
  };
}

interface Settled {
  readonly outcome: string;
  readonly message: RunMessage;
}

function makeSettleSpan(tracer: Tracer, { inside, endedAt }: Handled, { outcome, message }: Settled): void {
  const { id, task, delayMs, reason } = message;
  const attributes: Attributes = {
    ...messaging(task, 'settle'),
    'messaging.message.id': id,
    'retry.outcome': outcome,
    ...(reason !== undefined && { 'retry.reason': reason }),
    ...(delayMs !== undefined && { 'retry.delay_ms': delayMs }),
  };
  const span = tracer.startSpan(
    `settle ${task}`,
    { kind: SpanKind.CLIENT, startTime: endedAt, attributes },
    inside,
  );
  if (outcome === 'failed' || outcome === 'fenced') span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function fail(span: Span, error: unknown): void {
  span.setAttribute('error.type', errorType(error));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function messaging(task: string, operation: 'send' | 'process' | 'settle'): Attributes {
  return {
    'messaging.system': 'retry',
    'messaging.destination.name': task,
    'messaging.operation.name': operation,
    'messaging.operation.type': operation,
  };
}

function keyOf({ id, epoch }: RunMessage): string {
  return `${epoch}:${id}`;
}

function remember<Value>(kept: Map<string, Value>, key: string, value: Value): void {
  kept.delete(key);
  kept.set(key, value);
  if (kept.size <= MAX_REMEMBERED) return;
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    return;
  }
}
