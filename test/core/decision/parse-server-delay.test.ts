import { type HeaderSource, parseServerDelay } from '@retry/core';
import { afterEach, describe, expect, it, vi } from 'vitest';

/** 30 seconds before the example date of RFC 9110. */
const NOW = Date.UTC(1994, 10, 6, 8, 49, 7);

const IMF_FIXDATE = 'Sun, 06 Nov 1994 08:49:37 GMT';
const RFC_850 = 'Sunday, 06-Nov-94 08:49:37 GMT';
const ASCTIME = 'Sun Nov  6 08:49:37 1994';

const parse = (headers: HeaderSource) => parseServerDelay(headers, NOW);
const malformed = (header: string, value: string) => ({ type: 'malformed', header, value });
const delay = (delayMs: number) => ({ type: 'delay', delayMs });

afterEach(() => vi.unstubAllEnvs());

describe('parseServerDelay of Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['+30', 30_000],
    ['007', 7_000],
  ])('reads %s seconds', (value, delayMs) => {
    expect(parse({ 'retry-after': value })).toEqual(delay(delayMs));
  });

  it.each([IMF_FIXDATE, RFC_850, ASCTIME])('reads the date %s', (value) => {
    // RFC 9110 section 5.6.7: three forms, all in GMT
    expect(parse({ 'retry-after': value })).toEqual(delay(30_000));
  });

  it.each([IMF_FIXDATE, RFC_850, ASCTIME])(
    'takes the date %s for GMT wherever the machine stands',
    (value) => {
      vi.stubEnv('TZ', 'America/New_York');

      expect(parse({ 'retry-after': value })).toEqual(delay(30_000));
    },
  );

  it.each([
    // 08:49:37 GMT, as mail servers write it
    ['Sun, 06 Nov 1994 10:49:37 +0200', 30_000],
    ['Sun, 06 Nov 1994 03:49:37 -0500', 30_000],
    // ten days and 30 seconds later
    ['Wed Nov 16 08:49:37 1994', 864_030_000],
  ])('reads the date %s', (value, delayMs) => {
    expect(parse({ 'retry-after': value })).toEqual(delay(delayMs));
  });

  it.each([IMF_FIXDATE, RFC_850, ASCTIME])(
    'counts from the Date header %s, not from a skewed clock',
    (date) => {
      const headers = { 'retry-after': 'Sun, 06 Nov 1994 08:50:37 GMT', date };

      expect(parseServerDelay(headers, 0)).toEqual(delay(60_000));
      expect(parseServerDelay(headers, Date.UTC(2100, 0))).toEqual(delay(60_000));
    },
  );

  it('counts from the clock when the Date header cannot be read', () => {
    expect(parse({ 'retry-after': IMF_FIXDATE, date: 'yesterday' })).toEqual(delay(30_000));
  });

  it('takes a date that has come for nothing asked', () => {
    expect(parseServerDelay({ 'retry-after': IMF_FIXDATE }, NOW + 30_000)).toEqual({ type: 'absent' });
    expect(parseServerDelay({ 'retry-after': IMF_FIXDATE }, NOW + 60_000)).toEqual({ type: 'absent' });
  });

  it.each([
    '',
    'soon',
    // seed 002: -30 and 30.5 fall back
    '-30',
    '30.5',
    '1e3',
    '5, 10',
    '1994-11-06T08:49:37Z',
    'Sunday',
    'Sun, 99 Nov 1994 08:49:37 GMT',
    'Mon, whatever 7',
    'Sun, 06 Nov 1994',
    // Date.parse skips words before a date, and comments after it
    `after ${IMF_FIXDATE}`,
    `after ${RFC_850}`,
    `after ${ASCTIME}`,
    `${IMF_FIXDATE} (noon)`,
    `${RFC_850} (noon)`,
    `${ASCTIME} (noon)`,
  ])('calls %j malformed', (value) => {
    expect(parse({ 'retry-after': value })).toEqual(malformed('retry-after', value));
  });
});

describe('parseServerDelay of other headers', () => {
  it.each(['retry-after-ms', 'x-ms-retry-after-ms', 'x-amz-retry-after', 'grpc-retry-pushback-ms'])(
    'reads %s',
    (header) => {
      expect(parse({ [header]: '1500' })).toEqual(delay(1_500));
      expect(parse({ [header]: '0' })).toEqual(delay(0));
      expect(parse({ [header]: '1500.25' })).toEqual(delay(1_500.25));
    },
  );

  it.each(['retry-after-ms', 'x-ms-retry-after-ms'])('calls a %s that is no number malformed', (header) => {
    expect(parse({ [header]: '-5' })).toEqual(malformed(header, '-5'));
    expect(parse({ [header]: 'x' })).toEqual(malformed(header, 'x'));
    expect(parse({ [header]: '5 ms' })).toEqual(malformed(header, '5 ms'));
    expect(parse({ [header]: '5.' })).toEqual(malformed(header, '5.'));
  });

  it.each(['-1', 'x', ''])('takes a gRPC pushback of %j for a refusal', (value) => {
    // gRPC proposal A6
    expect(parse({ 'grpc-retry-pushback-ms': value })).toEqual({ type: 'refused' });
  });

  it('takes x-should-retry: false for a refusal, anything else for nothing', () => {
    expect(parse({ 'x-should-retry': 'false' })).toEqual({ type: 'refused' });
    expect(parse({ 'x-should-retry': 'true' })).toEqual({ type: 'absent' });
    expect(parse({ 'x-should-retry': 'true', 'retry-after': '5' })).toEqual(delay(5_000));
  });

  it('believes the most telling header', () => {
    const all = { 'retry-after': '5', 'x-ms-retry-after-ms': '4', 'retry-after-ms': '3' };

    expect(parse(all)).toEqual(delay(3));
    expect(parse({ ...all, 'grpc-retry-pushback-ms': '2' })).toEqual(delay(2));
    expect(parse({ ...all, 'x-should-retry': 'false' })).toEqual({ type: 'refused' });
  });

  it('does not let a malformed header hide a valid one', () => {
    expect(parse({ 'retry-after-ms': 'x', 'retry-after': '5' })).toEqual(delay(5_000));
    expect(parse({ 'retry-after-ms': 'x', 'grpc-retry-pushback-ms': '-1' })).toEqual({ type: 'refused' });
  });

  it('says malformed when nothing valid stands beside it', () => {
    expect(parse({ 'retry-after-ms': 'x', 'x-should-retry': 'true' })).toEqual(
      malformed('retry-after-ms', 'x'),
    );
  });
});

describe('parseServerDelay from any source', () => {
  it.each<[string, HeaderSource]>([
    ['fetch headers', new Headers({ 'Retry-After': '5' })],
    ['a Map', new Map([['retry-after', '5']])],
    ['lower case', { 'retry-after': '5' }],
    ['any case', { 'Retry-After': '5' }],
    ['capitals', { 'RETRY-AFTER': '5' }],
    ['a name in two cases, one of them empty', { 'Retry-After': undefined, 'retry-after': '5' }],
    ['a number', { 'retry-after': 5 }],
    ['a list', { 'retry-after': ['5', '9'] }],
    [
      'fetch headers with a date',
      new Headers({ 'Retry-After': IMF_FIXDATE, Date: 'Sun, 06 Nov 1994 08:49:32 GMT' }),
    ],
    ['any case with a date', { 'Retry-After': IMF_FIXDATE, DATE: ['Sun, 06 Nov 1994 08:49:32 GMT'] }],
  ])('reads 5 seconds from %s', (_name, headers) => {
    expect(parse(headers)).toEqual(delay(5_000));
  });

  it.each<[string, HeaderSource]>([
    ['no headers', {}],
    ['empty fetch headers', new Headers()],
    ['undefined', { 'retry-after': undefined }],
    ['an empty list', { 'retry-after': [] }],
    ['inherited headers', Object.create({ 'retry-after': '5' })],
  ])('says absent for %s', (_name, headers) => {
    expect(parse(headers)).toEqual({ type: 'absent' });
  });
});
