import { InvalidOptionsError } from '@retry/core';
import { findMatch } from '@retry/core/fields';
import { AttemptWithContext } from '../call/context.ts';
import type { Call } from '../call/plan.ts';
import { limitBody } from './limit-body.ts';
import type { Fetch, FetchSettings } from './options.ts';
import { discardBody, RefusedResponse } from './refused-response.ts';
import { discardUnsent } from './request-body.ts';
import type { OuterSignal } from './request-signal.ts';
import { releaseAfter, requestSignal } from './request-signal.ts';
import { isFailure } from './response-rules.ts';
import type { GivenRequest } from './sent-request.ts';
import { isRefusedRequest } from './sent-request.ts';

/** The requests and responses of one call: sends the request of each attempt, and ends the bodies that will not be read. */
export class Exchange {
  readonly #given: GivenRequest;
  readonly #outer: OuterSignal;
  readonly #settings: FetchSettings;
  readonly #fetch: Fetch;
  #attempt: AttemptWithContext | undefined;
  #signal: AbortSignal | undefined;
  /** What the latest attempt has received. */
  #received: Response | undefined;
  /** What the latest attempt has received, while the call waits for the next one. */
  #refused: RefusedResponse | undefined;

  constructor(given: GivenRequest, outer: OuterSignal, settings: FetchSettings) {
    this.#given = given;
    this.#outer = outer;
    this.#settings = settings;
    this.#fetch = settings.options.fetch ?? globalThis.fetch;
  }

  /** Sends the request of an attempt, which is the context. */
  async send(context: unknown): Promise<Response> {
    if (!(context instanceof AttemptWithContext)) throw new TypeError('a sender needs an attempt'); // the loop passes it
    const { signal, release } = requestSignal(this.#outer.signal, context);
    this.#attempt = context;
    this.#signal = signal;
    try {
      const response = await this.#request(signal, context);
      if (release !== undefined) releaseAfter(response, release);
      // This `fetch` does not obey its signal; no caller waits for the response.
      if (context.isInterrupted) discardBody(response);
      else this.#received = response;
      return response;
    } catch (error) {
      release?.();
      if (isRefusedRequest(error, this.#given)) context.stop(error);
      throw error;
    }
  }

  async #request(signal: AbortSignal, { stop }: AttemptWithContext): Promise<Response> {
    const before = this.#refused;
    this.#refused = undefined;
    before?.discardSoon();
    const { input, init } = this.#given;
    const fetch = this.#fetch; // that of a browser must not be called as a method
    const response = await fetch(input, { ...init, headers: new Headers(init.headers), signal });
    if (Object(response) !== response) stop(noResponse(response));
    if (before?.response === response) before.keep();
    else before?.discard();
    return response;
  }

  /** Returns whether a response counts as a failure. One that `stopOn` names too is the last, as an error is. */
  refuses(response: Response): boolean {
    const { rules, options } = this.#settings;
    if (!isFailure(rules, response, options.reportError)) return false;
    const isLast = findMatch(rules.stopOn, response) !== -1;
    if (isLast && this.#attempt !== undefined) this.#attempt.directive = { type: 'stop', error: undefined };
    return true;
  }

  /** Keeps a response during the wait for the next attempt. */
  keepRefused(response: Response): void {
    this.#refused = new RefusedResponse(response);
  }

  /** Returns the response that the call resolves with, its body limited by the total timeout. */
  async finish(call: Call, outcome: Promise<unknown>): Promise<Response> {
    const { signal: outer, release } = this.#outer;
    try {
      const response = (await outcome) as Response; // what `send` has returned
      this.#refused?.keep();
      if (release !== undefined) releaseAfter(response, release);
      const { until } = this.#settings.options;
      const signal = outer && this.#signal;
      if (until !== 'headers' && this.#attempt !== undefined) limitBody(response, this.#attempt, signal);
      return response;
    } catch (error) {
      this.#refused?.discard();
      // An abort may follow a response at once, before the call has seen it.
      if (this.#received !== undefined) discardBody(this.#received);
      release?.();
      if (call.attempts === 0 && call.ending?.reason === 'aborted') discardUnsent(this.#given);
      throw error;
    }
  }
}

function noResponse(value: unknown): InvalidOptionsError {
  const cure = 'A fetch of yours, or a mock, must return it: async (input, init) => fetch(input, init).';
  return new InvalidOptionsError(
    [{ path: 'fetch', value, message: 'must resolve with a Response', cure }],
    'createRetryFetch',
  );
}
