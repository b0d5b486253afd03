import { fingerprint, readErrorFacts } from '@retry/core/failures';
import { describe, expect, it } from 'vitest';
import { hashText } from '../../../packages/core/src/failures/hash-text.ts';

describe('fingerprint', () => {
  it('has name, code and masked message in its title', () => {
    const error = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:6379'), { code: 'ECONNREFUSED' });

    expect(fingerprint(error)).toEqual({
      id: 'e419c6305f8bb5ee',
      title: 'Error ECONNREFUSED: connect ECONNREFUSED #',
    });
  });

  it('tells errors apart by name, by code, by status and by message', () => {
    const error = { name: 'HttpError', message: 'refused', code: 'E', status: 404 };
    const others = [
      { name: 'Error' },
      { code: 'F' },
      { status: 422 },
      { message: 'gone' },
      { code: undefined },
    ];
    const ids = [{}, ...others].map((other) => fingerprint({ ...error, ...other }).id);

    expect(new Set(ids).size).toBe(6);
  });

  it('reads the status of a response, and writes a code that equals it once', () => {
    const error = Object.assign(new Error('no'), { code: 404, response: { status: 404 } });

    expect(fingerprint(error).title).toBe('Error 404: no');
  });

  it('reads the code of a cause, as fetch wraps the errors of sockets', () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

    expect(fingerprint(new TypeError('fetch failed', { cause })).title).toBe(
      'TypeError ECONNREFUSED: fetch failed',
    );
  });

  it('reads the message of a cause where the error has none', () => {
    const error = new AggregateError([new Error(''), new Error('refused 5 times')]);

    expect(fingerprint(error).title).toBe('AggregateError: refused # times');
  });

  it.each([
    ['text', 'order 42 failed', 'string: order # failed'],
    ['undefined', undefined, 'undefined: undefined'],
    ['null', null, 'object: null'],
    ['an object without a name', {}, 'Error'],
    ['an error without a message', new TypeError(), 'TypeError'],
  ])('takes %s', (_what, thrown, title) => {
    expect(fingerprint(thrown).title).toBe(title);
  });

  it('cuts a long title, and tells long messages apart by what is behind the cut', () => {
    const [one, other] = ['x', 'y'].map((end) => fingerprint(new Error(`${'word '.repeat(60)}${end}`)));

    expect(one?.title).toHaveLength(160);
    expect(one?.title.endsWith('…')).toBe(true);
    expect(one?.title).toBe(other?.title);
    expect(one?.id).not.toBe(other?.id);
  });

  it('is the same for pages that differ in numbers before the place where they are cut', () => {
    const page = (id: number): Error => new Error(`<p>${id}</p> not found. `.repeat(2_000));

    expect(fingerprint(page(1)).id).toBe(fingerprint(page(123_456)).id);
  });
});

describe('hashText', () => {
  // The vectors of the authors of FNV.
  it.each([
    ['', 'cbf29ce484222325'],
    ['a', 'af63dc4c8601ec8c'],
    ['foobar', '85944171f73967e8'],
  ])('is FNV-1a of 64 bits: %s', (text, hash) => {
    expect(hashText(text)).toBe(hash);
  });

  it('reads the bytes of UTF-8', () => {
    const bytes = new TextEncoder().encode('aü€😀z');
    const expected = bytes.reduce(
      (hash, byte) => BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n),
      0xcbf29ce484222325n,
    );

    expect(hashText('aü€😀z')).toBe(expected.toString(16).padStart(16, '0'));
  });
});

describe('readErrorFacts', () => {
  it('returns code, code of a cause, status and the delay that the server asked for', () => {
    const cause = Object.assign(new Error('socket'), { code: 'ECONNRESET' });
    const headers = { 'retry-after': '30' };
    const error = Object.assign(new Error('x', { cause }), { code: 7, response: { status: 503, headers } });

    expect(readErrorFacts(error, 0)).toEqual({
      code: 7,
      causeCode: 'ECONNRESET',
      status: 503,
      retryAfterMs: 30_000,
      unrecorded: ['cause'],
    });
  });

  it('returns that the server refused', () => {
    expect(readErrorFacts({ headers: { 'x-should-retry': 'false' } }, 0)).toEqual({
      retryAfterMs: 'refused',
    });
  });

  it.each([
    [undefined],
    ['text'],
    [{ code: '' }],
    [{ code: Number.NaN }],
    [{ code: {} }],
    [{ status: Number.NaN }],
  ])('returns nothing for %o', (error) => {
    expect(readErrorFacts(error, 0)).toEqual({});
  });

  it('keeps 64 characters of a code', () => {
    expect(readErrorFacts({ code: 'x'.repeat(100) }, 0)).toEqual({ code: 'x'.repeat(64) });
  });
});
