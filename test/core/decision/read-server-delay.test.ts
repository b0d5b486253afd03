import { RetryAfterError, readServerDelay } from '@retry/core';
import { describe, expect, it } from 'vitest';

const headers = { 'retry-after': '5' };
const FIVE_SECONDS = { type: 'delay', delayMs: 5_000 };

describe('readServerDelay', () => {
  it.each([
    ['a Response', new Response(null, { headers })],
    ['an error with headers', Object.assign(new Error('x'), { headers })],
    ['an error with a response', Object.assign(new Error('x'), { response: { headers } })],
    [
      'an error with a fetch Response',
      Object.assign(new Error('x'), { response: new Response(null, { headers }) }),
    ],
    ['an error with empty headers beside it', { headers: null, response: { headers } }],
    ['an error with empty headers of its own', { headers: {}, response: { headers } }],
    ['the AI SDK', Object.assign(new Error('x'), { statusCode: 429, responseHeaders: headers })],
    ['the AWS SDK', Object.assign(new Error('x'), { $response: { statusCode: 503, headers } })],
    ['a RetryAfterError', new RetryAfterError('5s')],
    ['a cause', new Error('outer', { cause: Object.assign(new Error('x'), { headers }) })],
    ['a Response as a cause', new Error('outer', { cause: new Response(null, { headers }) })],
    ['a cause of a cause', { cause: { cause: new RetryAfterError('5s') } }],
    ['an AggregateError', new AggregateError([new Error('x'), { response: { headers } }])],
    [
      'in a cause, behind headers that cannot be read',
      { headers: { 'retry-after': 'soon' }, cause: { headers } },
    ],
  ])('reads 5 seconds from %s', (_name, source) => {
    expect(readServerDelay(source, 0)).toEqual(FIVE_SECONDS);
  });

  it('believes a RetryAfterError before its headers', () => {
    const error = Object.assign(new RetryAfterError('1s'), { headers });

    expect(readServerDelay(error, 0)).toEqual({ type: 'delay', delayMs: 1_000 });
  });

  it('prefers an error to its causes, and returns the longest delay of several causes', () => {
    const [one, three] = [new RetryAfterError('1s'), new RetryAfterError('3s')];

    expect(readServerDelay(Object.assign(new RetryAfterError('1s'), { cause: three }), 0)).toMatchObject({
      delayMs: 1_000,
    });
    expect(readServerDelay(new AggregateError([one, three]), 0)).toMatchObject({ delayMs: 3_000 });
    expect(
      readServerDelay(new AggregateError([three, { headers: { 'x-should-retry': 'false' } }]), 0),
    ).toEqual({ type: 'refused' });
  });

  it('reads causes that contain each other once', () => {
    const inner: { cause?: unknown; headers: object } = { headers };
    const outer = { cause: inner };
    inner.cause = outer;

    expect(readServerDelay(outer, 0)).toEqual(FIVE_SECONDS);
  });

  it('reads a rate limit only for a status that says it was reached', () => {
    const limited = { 'ratelimit-reset': '5' };

    expect(readServerDelay(new Response(null, { status: 429, headers: limited }), 0)).toEqual(FIVE_SECONDS);
    expect(readServerDelay({ response: { status: 503, headers: limited } }, 0)).toEqual(FIVE_SECONDS);
    expect(readServerDelay({ $response: { statusCode: 429, headers: limited } }, 0)).toEqual(FIVE_SECONDS);
    expect(readServerDelay(new Response(null, { status: 500, headers: limited }), 0)).toEqual({
      type: 'absent',
    });
    expect(readServerDelay({ headers: limited }, 0)).toEqual({ type: 'absent' });
  });

  it('counts a date from the clock that it is given', () => {
    const source = { headers: { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' } };

    expect(readServerDelay(source, Date.UTC(1994, 10, 6, 8, 49, 27))).toEqual({
      type: 'delay',
      delayMs: 10_000,
    });
  });

  it('hands on refused and malformed', () => {
    expect(readServerDelay({ headers: { 'x-should-retry': 'false' } }, 0)).toEqual({ type: 'refused' });
    expect(readServerDelay({ headers: { 'retry-after': 'soon' } }, 0)).toEqual({
      type: 'malformed',
      header: 'retry-after',
      value: 'soon',
    });
  });

  it.each([
    undefined,
    null,
    'retry-after: 5',
    5,
    {},
    new Error('x'),
    { headers: 'retry-after: 5' },
    { headers: {} },
    { response: null },
    { response: {} },
    { response: { headers: null } },
    { headers: null },
    { response: 'x' },
  ])('is absent for %o', (source) => {
    expect(readServerDelay(source, 0)).toEqual({ type: 'absent' });
  });
});
