import type { Attributes, Context, Span, SpanContext, Tracer } from '@opentelemetry/api';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { listenTo } from './channels.ts';
import { errorType } from './error-type.ts';
import type { AttemptingMessage, CallMessage } from './messages.ts';
import { withResends } from './resends.ts';

/** How many attempts of one call have a span: the first ones, and the last one. */
const MAX_ATTEMPTS = 100;

/** An attempt of a call. */
interface Attempt {
  readonly attempt: number;
  readonly startedAt: number;
  /** Absent where it is made when it ends, if it is made. */
  readonly span: Span | undefined;
  /** Its span, once it has ended for its call. */
  ended: SpanContext | undefined;
  endedAt: number;
}

interface OpenCall {
  readonly name: string;
  readonly around: Context;
  readonly startedAt: number;
  span: Span | undefined;
  latest: Attempt | undefined;
  /** The latest attempt without a span, which has one if it is the last. */
  unmade: (() => void) | undefined;
}

interface Tracing {
  readonly tracer: Tracer;
  readonly isEvery: boolean;
}

/**
 * Makes spans of calls in this process: one for each call that was retried, or of every one, and a child for each attempt, whose function
 * sees it as the active span. Where only retried calls have one, the first attempt has none while it runs: it is made when it has failed.
 *
 * @returns ends it
 */
export function traceCalls(tracer: Tracer, { isEvery }: { readonly isEvery: boolean }): () => void {
  const calls = new WeakMap<object, OpenCall>();
  const tracing = { tracer, isEvery };
  const end = (message: CallMessage, isFailed: boolean): void => {
    const call = calls.get(message.arguments) ?? openCall(message);
    calls.delete(message.arguments);
    if (!isEvery && message.attempt <= 1) return;
    if (message.attempt > 0) endAttempt(tracing, call, message, isFailed);
    endCall(tracing, call, message, isFailed);
  };
  return listenTo({
    'retry:attempt': (message: CallMessage) => {
      if (!calls.has(message.arguments)) calls.set(message.arguments, openCall(message));
    },
    'retry:attempting': (message: AttemptingMessage) => {
      const call = calls.get(message.arguments);
      if (call !== undefined) startAttempt(tracing, call, message);
    },
    'retry:retry': (message: CallMessage) => {
      const call = calls.get(message.arguments);
      if (call !== undefined) endAttempt(tracing, call, message, true);
    },
    'retry:give-up': (message: CallMessage) => end(message, true),
    'retry:success': (message: CallMessage) => end(message, false),
  });
}

function openCall({ name, elapsedMs }: CallMessage): OpenCall {
  const startedAt = Date.now() - elapsedMs;
  return { name, around: context.active(), startedAt, span: undefined, latest: undefined, unmade: undefined };
}

/** Returns the span of the call, which begins with it. */
function spanOf({ tracer }: Tracing, call: OpenCall): Span {
  const { name, startedAt: startTime, around } = call;
  const attributes: Attributes = name === '' ? {} : { 'retry.name': name };
  const options = { kind: SpanKind.INTERNAL, startTime, attributes };
  call.span ??= tracer.startSpan(name === '' ? 'retry' : `retry ${name}`, options, around);
  return call.span;
}

function startAttempt(tracing: Tracing, call: OpenCall, message: AttemptingMessage): void {
  const { attempt, call: run } = message;
  const startedAt = Date.now();
  const isLive = (tracing.isEvery || attempt > 1) && attempt < MAX_ATTEMPTS;
  const span = isLive ? startSpan(tracing, call, { attempt, startedAt }) : undefined;
  const started: Attempt = { attempt, startedAt, span, ended: undefined, endedAt: startedAt };
  call.latest = started;
  const inside = call.span === undefined ? undefined : trace.setSpan(call.around, span ?? call.span);
  const around = inside === undefined ? undefined : withResends(inside, attempt);
  message.call = () => {
    const returned = around === undefined ? run() : context.with(around, run);
    const onEnd = (): void => linkLate(tracing, started, call.name);
    // Any other thenable may begin its work with each `then`.
    if (returned instanceof Promise) returned.then(onEnd, onEnd);
    return returned;
  };
}

function startSpan(
  tracing: Tracing,
  call: OpenCall,
  { attempt, startedAt: startTime }: Pick<Attempt, 'attempt' | 'startedAt'>,
): Span {
  const inside = trace.setSpan(call.around, spanOf(tracing, call));
  const attributes = { 'retry.attempt': attempt };
  return tracing.tracer.startSpan('attempt', { kind: SpanKind.INTERNAL, startTime, attributes }, inside);
}

/** Ends the span of the latest attempt, or makes it. */
function endAttempt(tracing: Tracing, call: OpenCall, message: CallMessage, isFailed: boolean): void {
  const { latest } = call;
  if (latest === undefined || latest.attempt !== message.attempt || latest.ended !== undefined) return;
  const attributes = attributesOf(message, isFailed);
  const now = Date.now();
  latest.endedAt = Math.max(latest.startedAt, Math.min(latest.startedAt + message.attemptMs, now));
  const make = (): void => {
    const span = latest.span ?? startSpan(tracing, call, latest);
    span.setAttributes(attributes);
    if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(latest.endedAt);
    latest.ended = span.spanContext();
  };
  call.unmade = undefined;
  if (latest.span === undefined && latest.attempt >= MAX_ATTEMPTS) call.unmade = make;
  else make();
}

function attributesOf(message: CallMessage, isFailed: boolean): Attributes {
  const { attempt, delayMs, askedBy = 'policy', reason, error, request } = message;
  return {
    ...(isFailed && { 'error.type': errorType(error) }),
    ...(delayMs !== undefined && { 'retry.delay_ms': delayMs, 'retry.delay_asked_by': askedBy }),
    ...(reason !== undefined && { 'retry.reason': reason }),
    ...(request !== undefined && { 'http.request.method': request.method }),
    ...(request !== undefined && attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
  };
}

function endCall(tracing: Tracing, call: OpenCall, message: CallMessage, isFailed: boolean): void {
  const { attempt, reason = '', error } = message;
  const span = spanOf(tracing, call);
  call.unmade?.();
  span.setAttribute('retry.attempts', attempt);
  if (isFailed) {
    span.setAttributes({ 'error.type': errorType(error), 'retry.reason': reason });
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** What a function does after its attempt has ended, as by a timeout, is no part of the call: a span of its own, linked to the attempt. */
function linkLate({ tracer }: Tracing, { ended, endedAt, attempt }: Attempt, name: string): void {
  if (ended === undefined) return;
  const attributes = { 'retry.attempt': attempt, ...(name !== '' && { 'retry.name': name }) };
  const links = [{ context: ended, attributes: { 'retry.link': 'attempt' } }];
  tracer.startSpan('late attempt', { root: true, startTime: endedAt, attributes, links }).end();
}
