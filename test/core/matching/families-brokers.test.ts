import { definePolicy, explain } from '@retry/core';
import * as families from '@retry/core/errors';
import { describe, expect, it } from 'vitest';

const retryOn = Object.values(families).flat();

/** What all families together say of an error. */
function meaningOf(error: unknown): string {
  const [once, again] = [false, true].map((idempotent) =>
    explain(definePolicy({ retryOn, idempotent }), error),
  );
  if (once?.retries) return 'not applied';
  return again?.retries ? 'ambiguous' : 'permanent';
}

/** An answer of JetStream, as version 3 of the client throws it: its status and code are getters. */
class JetStreamApiError extends Error {
  override readonly name = 'JetStreamApiError';
  readonly #answer: { status: number; code: number };
  constructor(message: string, answer: { status: number; code: number }) {
    super(message);
    this.#answer = answer;
  }
  get status(): number {
    return this.#answer.status;
  }
  get code(): number {
    return this.#answer.code;
  }
}

/** An error of version 2 of the client, whose code is the status. */
function natsError(code: string, properties: object = {}): Error {
  return Object.assign(new Error(code), { name: 'NatsError', code, ...properties });
}

describe('nats', () => {
  const DISABLED = 'JetStream not enabled for account';

  it('does not repeat a call of JetStream by an account that has none, of version 2', () => {
    const answer = { code: 503, err_code: 10039, description: DISABLED };
    const chainedError = new Error('jetstream not enabled for account');

    expect(meaningOf(natsError('503', { chainedError, api_error: answer }))).toBe('permanent');
  });

  it('does not repeat a call of JetStream by an account that has none, of version 3', () => {
    const cause = new JetStreamApiError(DISABLED, { status: 503, code: 10039 });
    const error = Object.assign(new Error(DISABLED, { cause }), { name: 'JetStreamNotEnabled' });

    expect(meaningOf(error)).toBe('permanent');
  });

  it('takes the 503 of JetStream for a call that was refused, in both versions', () => {
    const text = 'JetStream system temporarily unavailable';
    const cause = new JetStreamApiError(text, { status: 503, code: 10008 });
    const api_error = { code: 503, err_code: 10008, description: text };

    expect(meaningOf(cause)).toBe('not applied');
    expect(meaningOf(natsError('503', { chainedError: new Error(text), api_error }))).toBe('not applied');
  });

  it('repeats a request without responders', () => {
    expect(meaningOf(natsError('503'))).toBe('not applied');
  });

  it('does not use a connection again that was closed before', () => {
    expect(meaningOf(natsError('CONNECTION_CLOSED'))).toBe('permanent');
  });

  it('takes an HTTP status of 503 for ambiguous as before', () => {
    expect(meaningOf(Object.assign(new Error('x'), { status: 503 }))).toBe('ambiguous');
  });
});
