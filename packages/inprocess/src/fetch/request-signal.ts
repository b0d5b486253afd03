import { InvalidOptionsError } from '@retry/core';
import { OPTION_RULES } from '../call/check-options.ts';
import type { AttemptContext } from '../call/context.ts';
import { nested } from '../call/plan.ts';
import type { JoinedSignal } from '../time/abort-hub.ts';
import { joinSignals } from '../time/abort-hub.ts';
import type { GivenRequest } from './sent-request.ts';

/**
 * Bodies that can still be read; releases what serves only them when they are collected. Where the runtime has no registry, that
 * lasts as long as the caller's signal, or the timer of the body.
 */
const unread =
  globalThis.FinalizationRegistry && new FinalizationRegistry<() => void>((release) => release());

/**
 * Returns the caller's signal of a request.
 *
 * @throws {InvalidOptionsError} for anything else than a signal, because it would never abort
 */
export function callerSignal({ input, init }: GivenRequest): AbortSignal | undefined {
  const own = typeof input === 'string' ? undefined : input.signal;
  // `null` removes the signal of a Request, as it does for `fetch`.
  const signal = init.signal === undefined ? own : (init.signal ?? undefined);
  const { accepts, message, cure } = OPTION_RULES.signal;
  if (signal === undefined || accepts(signal)) return signal;
  throw new InvalidOptionsError([{ path: 'signal', value: signal, message, cure }], 'fetch');
}

/** What may abort a request besides its call; `release` removes the listeners. */
export interface OuterSignal {
  readonly signal: AbortSignal | undefined;
  readonly release?: () => void;
}

/**
 * Joins the caller's signal with that of the attempt around the call. The call joins them, too, but only until it has ended, and a
 * body is read afterwards.
 */
export function outerSignal(caller: AbortSignal | undefined): OuterSignal {
  const around = nested.nesting?.current();
  return around === undefined ? { signal: caller } : joinSignals(caller, around.signal);
}

/**
 * Returns the signal of a request. It aborts with the attempt, and with the caller's signal even after the attempt
 * has ended, while the body of the response is being read. A single signal is returned as it is.
 */
export function requestSignal(caller: AbortSignal | undefined, context: AttemptContext): JoinedSignal {
  if (!caller) return { signal: context.signal };
  // Without a timeout, and without a call around it, only the caller can abort the attempt.
  const isFree = context.remainingMs === Infinity && nested.nesting === undefined;
  return isFree ? { signal: caller } : joinSignals(caller, context.signal);
}

/** Calls `release` once the body of the response can no longer be read. What it holds must not hold the body. */
export function releaseAfter({ body }: Response, release: () => void): void {
  // The body of a mock may be text.
  if (typeof body === 'object' && body !== null) unread?.register(body, release);
  else release();
}
