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
    ['a RetryAfterError', new RetryAfterError('5s')],
  ])('reads 5 seconds from %s', (_name, source) => {
    expect(readServerDelay(source, 0)).toEqual(FIVE_SECONDS);
  });

  it('believes a RetryAfterError before its headers', () => {
    const error = Object.assign(new RetryAfterError('1s'), { headers });

    expect(readServerDelay(error, 0)).toEqual({ type: 'delay', delayMs: 1_000 });
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
  ])('says absent for %o', (source) => {
    expect(readServerDelay(source, 0)).toEqual({ type: 'absent' });
  });
});
