import type { Attributes, Context, Tracer } from '@opentelemetry/api';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { listenTo } from './channels.ts';
import { errorType } from './error-type.ts';
import type { CallMessage } from './messages.ts';

/** How many attempts of one call have a span: the first ones, and the last one. */
const MAX_ATTEMPTS = 100;

interface EndedAttempt {
  readonly attempt: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  readonly isFailed: boolean;
}

interface OpenCall {
  readonly around: Context;
  readonly startedAt: number;
  attemptAt: number;
  readonly attempts: EndedAttempt[];
}

/**
 * Makes spans of calls in this process: one for each call that was retried, or of every one, and a child for each attempt. They are made
 * when the call ends, with the instants that its events had, because only then is it known whether it was retried.
 *
 * @returns ends it
 */
export function traceCalls(tracer: Tracer, { isEvery }: { readonly isEvery: boolean }): () => void {
  const calls = new WeakMap<object, OpenCall>();
  const end = (message: CallMessage, isFailed: boolean): void => {
    const call = calls.get(message.arguments) ?? openCall(message);
    calls.delete(message.arguments);
    if (message.attempt > 0) endAttempt(call, message, isFailed);
    if (isEvery || message.attempt > 1) makeSpans(tracer, call, { message, isFailed });
  };
  return listenTo({
    'retry:attempt': (message: CallMessage) => {
      const call = calls.get(message.arguments);
      if (call === undefined) calls.set(message.arguments, openCall(message));
      else call.attemptAt = Date.now();
    },
    'retry:retry': (message: CallMessage) => {
      const call = calls.get(message.arguments);
      if (call !== undefined) endAttempt(call, message, true);
    },
    'retry:give-up': (message: CallMessage) => end(message, true),
    'retry:success': (message: CallMessage) => end(message, false),
  });
}

function openCall({ elapsedMs }: CallMessage): OpenCall {
  const now = Date.now();
  return { around: context.active(), startedAt: now - elapsedMs, attemptAt: now, attempts: [] };
}

function endAttempt(call: OpenCall, message: CallMessage, isFailed: boolean): void {
  const { attempt, delayMs, reason, error, request } = message;
  const ended: EndedAttempt = {
    attempt,
    startedAt: call.attemptAt,
    endedAt: Math.max(call.attemptAt, Math.min(call.attemptAt + message.attemptMs, Date.now())),
    isFailed,
    attributes: {
      'retry.attempt': attempt,
      ...(isFailed && { 'error.type': errorType(error) }),
      ...(delayMs !== undefined && { 'retry.delay_ms': delayMs }),
      ...(reason !== undefined && { 'retry.reason': reason }),
      ...(request !== undefined && { 'http.request.method': request.method }),
      ...(request !== undefined && attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
    },
  };
  if (call.attempts.length === MAX_ATTEMPTS) call.attempts.pop();
  call.attempts.push(ended);
}

interface CallEnd {
  readonly message: CallMessage;
  readonly isFailed: boolean;
}

function makeSpans(tracer: Tracer, call: OpenCall, { message, isFailed }: CallEnd): void {
  const { name, attempt, reason, error } = message;
  const attributes: Attributes = {
    'retry.attempts': attempt,
    ...(name !== '' && { 'retry.name': name }),
    ...(isFailed && { 'error.type': errorType(error), 'retry.reason': reason ?? '' }),
  };
  const options = { kind: SpanKind.INTERNAL, startTime: call.startedAt, attributes };
  const span = tracer.startSpan(name === '' ? 'retry' : `retry ${name}`, options, call.around);
  if (span.isRecording()) {
    const inside = trace.setSpan(call.around, span);
    for (const each of call.attempts) makeAttemptSpan(tracer, each, inside);
  }
  if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function makeAttemptSpan(tracer: Tracer, ended: EndedAttempt, inside: Context): void {
  const { startedAt: startTime, endedAt, attributes, isFailed } = ended;
  const span = tracer.startSpan('attempt', { kind: SpanKind.INTERNAL, startTime, attributes }, inside);
  if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(endedAt);
}
