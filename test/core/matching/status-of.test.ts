import { describe, expect, it } from 'vitest';
import { statusOf } from '../../../packages/core/src/matching/status-of.ts';

describe('statusOf', () => {
  it.each([
    [{ status: 503 }, 503],
    [{ statusCode: 503 }, 503],
    [{ response: { status: 503 } }, 503],
    [{ response: { statusCode: 503 } }, 503],
    [{ $metadata: { httpStatusCode: 503 } }, 503],
    [{ status: 500, statusCode: 501, response: { status: 502 } }, 500],
    [{ status: undefined, response: { status: 502 } }, 502],
    [{ status: null, statusCode: 501 }, 501],
  ])('finds in %o the status %d', (error, status) => {
    expect(statusOf(error)).toBe(status);
  });

  it.each([
    undefined,
    null,
    503,
    '503',
    {},
    new Error('503'),
    { status: '503' },
    { response: null },
    { response: 'gone', $metadata: null },
  ])('finds none in %o', (error) => {
    expect(statusOf(error)).toBeUndefined();
  });
});
