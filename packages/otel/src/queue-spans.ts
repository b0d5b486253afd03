import type { Attributes, Context, Link, Span, SpanContext, Tracer } from '@opentelemetry/api';
import { context, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { listenTo } from './channels.ts';
import { errorType } from './error-type.ts';
import type { ClaimedMessage, HandlingMessage, RunMessage, SubmittingMessage } from './messages.ts';
import { OUTCOMES } from './outcomes.ts';
import { readContext, readSpanContext, writeContext, writeSpanContext } from './trace-context.ts';

/** How many runs are remembered between two attempts in this process, and how many settlements are awaited: the latest ones. */
const MAX_REMEMBERED = 10_000;

/** A handler that has returned, whose outcome is being settled. */
interface Handled {
  readonly inside: Context;
  readonly endedAt: number;
}

/**
 * Makes spans of queues and workers by the conventions for messaging: `send` where runs are submitted, `receive` for each claim that has
 * returned runs, `process` around each handler, `settle` from its return until the broker has accepted the outcome. The context of `send`
 * travels with the run, and that of a failed attempt with its error. An attempt is a child of its submission, and linked to it and to the
 * attempt before: of those that did not fail, and of a run that was redriven, to one in this process.
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
    'retry:worker:claimed': (claim: ClaimedMessage) => makeReceiveSpan(tracer, claim),
    'retry:worker:handling': (call: HandlingMessage) => {
      const { span, inside } = startProcessing(tracer, call, attempts.get(call.id));
      // A span that is not sampled is exported nowhere: there is nothing to link to.
      if (isSampled(span)) remember(attempts, call.id, span.spanContext());
      else attempts.delete(call.id);
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

/** How many runs of a claim are linked. */
const MAX_LINKS = 128;

/** Makes the span of a claim. Because its runs may be of many traces it belongs to none, and is linked to their submissions. */
function makeReceiveSpan(tracer: Tracer, { worker, durationMs, runs }: ClaimedMessage): void {
  const tasks = new Set(runs.map(({ lane }) => taskOf(lane)));
  const [task = ''] = tasks;
  const links = runs.slice(0, MAX_LINKS).flatMap(({ context: carried }) => {
    const submission = readSpanContext(carried);
    return submission === undefined
      ? []
      : [{ context: submission, attributes: { 'retry.link': 'submission' } }];
  });
  const attributes: Attributes = {
    ...messaging(task, 'receive'),
    'messaging.destination.name': tasks.size === 1 ? task : undefined,
    'messaging.batch.message_count': runs.length,
    'messaging.client.id': worker,
  };
  const startTime = Date.now() - durationMs;
  const name = tasks.size === 1 ? `receive ${task}` : 'receive';
  tracer.startSpan(name, { root: true, kind: SpanKind.CLIENT, startTime, attributes, links }).end();
}

/** Lanes are `name@version`. */
function taskOf(lane: string): string {
  return lane.slice(0, Math.max(lane.lastIndexOf('@'), 0)) || lane;
}

/** @param known - the attempt before, where this process has made it */
function startProcessing(tracer: Tracer, call: HandlingMessage, known: SpanContext | undefined): Inside {
  const span = startProcessSpan(tracer, call, known ?? readSpanContext(call.previousContext));
  if (isSampled(span)) call.attemptContext = writeSpanContext(span.spanContext());
  return { span, inside: trace.setSpan(readContext(call.context), span) };
}

function isSampled(span: Span): boolean {
  return (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
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
  const { id, task, delayMs, reason, askedBy = reason === 'asked' ? 'handler' : 'policy' } = message;
  const attributes: Attributes = {
    ...messaging(task, 'settle'),
    'messaging.message.id': id,
    'retry.outcome': outcome,
    ...(reason !== undefined && { 'retry.reason': reason }),
    ...(delayMs !== undefined && { 'retry.delay_ms': delayMs }),
    ...(outcome === 'retried' && { 'retry.delay_asked_by': askedBy }),
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

function messaging(task: string, operation: 'send' | 'receive' | 'process' | 'settle'): Attributes {
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
