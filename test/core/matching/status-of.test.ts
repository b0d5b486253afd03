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
    [{ status: '503' }, 503],
    [{ status_code: 503 }, 503],
    [{ httpStatus: 503 }, 503],
    [{ rawResponse: { status: 503 } }, 503],
    [{ httpResponse: { status: 503 } }, 503],
    [{ context: { status: 503 } }, 503],
    [{ output: { statusCode: 503 } }, 503],
    [{ meta: { response: { status: 503, headers: {} } } }, 503],
    [{ data: { res: { statusCode: 503, headers: {} } } }, 503],
    [{ answer: { statusCode: 503, headers: {} } }, 503],
    [{ error_code: 503 }, 503],
    [{ response: { error_code: 503 } }, 503],
    [{ code: 503, response: {} }, 503],
    [{ code: 503, headers: {} }, 503],
    [{ status: 0, response: { status: 502 } }, 502],
    [new Error('Request failed with status code 503 Service Unavailable'), 503],
    [new Error('Server responded with status 503.'), 503],
    [new Error('HTTP 503: Service Unavailable'), 503],
    [Object.assign(new Error('x'), { status: 503, cause: { code: 'SLOW_DOWN' } }), 503],
    [{ status: 500, response: {}, cause: { code: 'ECONNRESET' } }, 500],
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
    { status: 'UNAVAILABLE' },
    { status: 0 },
    { statusCode: -1 },
    { code: 503 },
    { error_code: 190 },
    { data: { status: 503 } },
    { data: { deeper: { answer: { status: 503, headers: {} } } } },
    { request: { status: 503 } },
    { code: 504, classId: 10, methodId: 20 },
    { code: 1213, response: {} },
    { status: 500, cause: { cause: { code: 'ECONNREFUSED' } } },
    { status: 500, original: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) },
    Object.assign(new Error('ECONNREFUSED'), { status: 400 }),
    new Error('item 503 has no status'),
    { response: null },
    { response: 'gone', $metadata: null },
  ])('finds none in %o', (error) => {
    expect(statusOf(error)).toBeUndefined();
  });
});
