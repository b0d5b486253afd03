import { readServerDelay } from '@retry/core';
import { describe, expect, it } from 'vitest';

function named(name: string, properties: object): Error {
  return Object.assign(new Error('x'), { name }, properties);
}

/** As clients throw it: with more than a message. */
function limited(message: string): Error {
  return Object.assign(new Error(message), { status: 429 });
}

describe('a delay that is stated without headers', () => {
  it.each([
    ['of a number of milliseconds', { retryAfterMs: 300 }, 300],
    ['of Slack, in seconds', named('WebAPIRateLimitedError', { retryAfter: 7 }), 7_000],
    [
      'of discord.js, in milliseconds',
      named('RateLimitError', { retryAfter: 1_500, timeToReset: 1_500 }),
      1_500,
    ],
    ['of Telegram, in seconds', { error_code: 429, parameters: { retry_after: 3 } }, 3_000],
    ['of google-gax', { statusDetails: [{ retryDelay: { seconds: '17', nanos: 1_000_000 } }] }, 17_001],
    [
      'in the body of a response',
      { response: { data: { error: { details: [{ retryDelay: '2.5s' }] } } } },
      2_500,
    ],
    ['in the JSON of a message', limited('429 {"error":{"details":[{"retryDelay":"17s"}]}}'), 17_000],
    ['in the text of OpenAI', limited('Rate limit reached. Please try again in 20s. Visit'), 20_000],
    ['in milliseconds', limited('Please try again in 857ms.'), 857],
    ['in minutes and seconds', limited('try again in 1m12.5s'), 72_500],
    ['in words', limited('you may retry this request in 7 seconds'), 7_000],
    ['of a cause', new Error('x', { cause: { retryAfterMs: 300 } }), 300],
    ['in metadata of gRPC', { code: 14, metadata: new Map([['grpc-retry-pushback-ms', ['250']]]) }, 250],
    ['of Qdrant, in seconds', named('QdrantClientResourceExhaustedError', { retry_after: 7 }), 7_000],
    [
      'of AWS Lambda, in seconds as text',
      { name: 'TooManyRequestsException', retryAfterSeconds: '10', $metadata: {} },
      10_000,
    ],
    ['of Cosmos DB, in milliseconds', { code: 429, retryAfterInMs: 12.5 }, 12.5],
    ['of rate-limiter-flexible', { _msBeforeNext: 250, msBeforeNext: 250 }, 250],
    ['of Kubernetes', { code: 429, body: { kind: 'Status', details: { retryAfterSeconds: 3 } } }, 3_000],
    ['in a body as text', { statusCode: 429, responseBody: '{"error":{"retryAfterMs":300}}' }, 300],
    ['in the body of a response as text', { response: { status: 429, body: '{"retry_after_ms":300}' } }, 300],
    ['in a raw response', { statusCode: 429, rawResponse: { headers: { 'retry-after': '7' } } }, 7_000],
    [
      'in a response within another object',
      { meta: { response: { status: 429, headers: new Headers({ 'retry-after': '7' }) } } },
      7_000,
    ],
    ['beside a response', { data: { res: { statusCode: 429, headers: { 'retry-after': '7' } } } }, 7_000],
    ['in parsed headers', { statusCode: 429, response: { parsedHeaders: { 'retry-after': '7' } } }, 7_000],
  ])('is read %s', (_, error, delayMs) => {
    expect(readServerDelay(error, 0)).toEqual({ type: 'delay', delayMs });
  });

  it.each([
    ['a number whose unit is not known', { retryAfter: 7 }],
    ['a RateLimitError of an unknown client', named('RateLimitError', { retryAfter: 7 })],
    ['an error with nothing but a message', new Error('try again in 20s')],
    ['a negative number', { retryAfterMs: -1 }],
    ['nothing in place of a number', { retryAfterSeconds: null, body: { retryAfterSeconds: '' } }],
    ['a text without a time', limited('try again later')],
    ['a count of retries', limited('retrying after failure in 3 rows')],
    ['months', limited('retry in 5 months')],
    ['JSON that is none', limited('{"retryDelay" {"')],
    ['a body as text without a delay', { status: 429, body: '{"message":"retry later"}' }],
    ['a long body', { status: 429, body: `{"retryAfterMs":300}${' '.repeat(70_000)}` }],
    ['the headers of a request', { data: { request: { headers: { 'retry-after': '7' } } } }],
  ])('is not read from %s', (_, error) => {
    expect(readServerDelay(error, 0)).toEqual({ type: 'absent' });
  });

  it('forbids a retry where the pushback of gRPC is malformed', () => {
    expect(readServerDelay({ metadata: { 'grpc-retry-pushback-ms': 'soon' } }, 0)).toEqual({
      type: 'refused',
    });
  });

  it('is looked for in a bounded part of a body', () => {
    const body: unknown[] = [];
    body.push(body, ...Array.from({ length: 1_000 }, () => ({ inner: body })));

    expect(readServerDelay({ body }, 0)).toEqual({ type: 'absent' });
  });
});
