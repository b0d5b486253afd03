import { type HeaderSource, parseServerDelay } from '@retry/core';
import { afterEach, describe, expect, it, vi } from 'vitest';

/** 30 seconds before the example date of RFC 9110. */
const NOW = Date.UTC(1994, 10, 6, 8, 49, 7);

const IMF_FIXDATE = 'Sun, 06 Nov 1994 08:49:37 GMT';
const RFC_850 = 'Sunday, 06-Nov-94 08:49:37 GMT';
const ASCTIME = 'Sun Nov  6 08:49:37 1994';

const parse = (headers: HeaderSource, status?: number) => parseServerDelay(headers, NOW, status);
const malformed = (header: string, value: string) => ({ type: 'malformed', header, value });
const delay = (delayMs: number) => ({ type: 'delay', delayMs });

afterEach(() => vi.unstubAllEnvs());

describe('parseServerDelay of Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['+30', 30_000],
    ['007', 7_000],
    ['30.5', 30_500],
    ['0.25', 250],
    // of several the longest
    ['5, 10', 10_000],
    ['10,5', 10_000],
    ['5, soon', 5_000],
  ])('reads %s seconds', (value, delayMs) => {
    expect(parse({ 'retry-after': value })).toEqual(delay(delayMs));
  });

  it.each(['short', 'medium', 'long'])('reads the header of a limit of NestJS that is named %s', (limit) => {
    expect(parse({ [`retry-after-${limit}`]: '7' })).toEqual(delay(7_000));
    expect(parse(new Headers({ [`Retry-After-${limit}`]: '7' }))).toEqual(delay(7_000));
    expect(parse({ [`retry-after-${limit}`]: '7', 'retry-after': '5' })).toEqual(delay(5_000));
  });

  it('reads a number of hundreds of digits as a long delay, not as a refusal', () => {
    expect(parse({ 'retry-after': '9'.repeat(400) })).toEqual(delay(Number.MAX_VALUE));
    expect(parse({ 'retry-after-ms': '9'.repeat(400) })).toEqual(delay(Number.MAX_VALUE));
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
    // as cookies write it
    ['Sun, 06-Nov-1994 08:49:37 GMT', 30_000],
    // as servers in Go write it by time.RFC1123 and time.RFC850
    ['Sun, 06 Nov 1994 08:49:37 UTC', 30_000],
    ['Sunday, 06-Nov-94 08:49:37 UTC', 30_000],
    // as mail may write it, whose days have one digit or two
    ['Sun, 6 Nov 1994 08:49:37 GMT', 30_000],
    ['Sun, 6 Nov 1994 10:49:37 +0200', 30_000],
    ['Sun,  6 Nov 1994 08:49:37 GMT', 30_000],
    ['Sunday, 6-Nov-94 08:49:37 GMT', 30_000],
    ['Sun Nov 6 08:49:37 1994', 30_000],
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

  it('reads an instant of RFC 3339, which some servers send and the AWS SDK reads', () => {
    expect(parse({ 'retry-after': new Date(NOW + 30_000).toISOString() })).toEqual(delay(30_000));
    expect(parse({ 'retry-after': new Date(NOW - 30_000).toISOString() })).toEqual({ type: 'absent' });
  });

  it('counts from the clock when the Date header cannot be read', () => {
    expect(parse({ 'retry-after': IMF_FIXDATE, date: 'yesterday' })).toEqual(delay(30_000));
  });

  it('reads a past date as absent', () => {
    expect(parseServerDelay({ 'retry-after': IMF_FIXDATE }, NOW + 30_000)).toEqual({ type: 'absent' });
    expect(parseServerDelay({ 'retry-after': IMF_FIXDATE }, NOW + 60_000)).toEqual({ type: 'absent' });
  });

  it.each([
    '',
    'soon',
    '-30',
    '.5',
    '5.',
    '1e3',
    'soon, later',
    '1994-11-06T08:49',
    '1994-11-06 08:49:37Z',
    '1994-13-06T08:49:37Z',
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

describe('parseServerDelay of unusual dates', () => {
  it('reads the longest of dates and seconds in one list', () => {
    expect(parse({ 'retry-after': `5, ${IMF_FIXDATE}` })).toEqual(delay(30_000));
    expect(parse({ 'retry-after': `${IMF_FIXDATE}, 45` })).toEqual(delay(45_000));
    expect(parse({ 'retry-after': `${RFC_850}, ${ASCTIME}` })).toEqual(delay(30_000));
    expect(parse({ 'retry-after': ['5', IMF_FIXDATE] })).toEqual(delay(30_000));
  });

  it('reads a leap second as the first instant after its minute', () => {
    const nowAt = Date.UTC(2016, 11, 31, 23, 59, 50);

    expect(parseServerDelay({ 'retry-after': 'Sat, 31 Dec 2016 23:59:60 GMT' }, nowAt)).toEqual(
      delay(10_000),
    );
  });

  it.each([
    // RFC 9110: more than 50 years in the future is the latest past year with these digits.
    ['Friday, 06-Nov-26 08:49:37 GMT', Date.UTC(2026, 10, 6, 8, 49, 7), 30_000],
    [
      'Friday, 06-Nov-76 08:49:37 GMT',
      Date.UTC(2026, 10, 6, 8, 49, 37),
      Date.UTC(2076, 10, 6) - Date.UTC(2026, 10, 6),
    ],
    ['Friday, 06-Nov-49 08:49:37 GMT', Date.UTC(2049, 10, 6, 8, 49, 7), 30_000],
    ['Friday, 06-Nov-99 08:49:37 GMT', Date.UTC(2099, 10, 6, 8, 49, 7), 30_000],
    ['Friday, 01-Jan-00 00:00:20 GMT', Date.UTC(2099, 11, 31, 23, 59, 50), 30_000],
  ])('reads the year of %s beside the year of the clock', (value, nowAt, delayMs) => {
    expect(parseServerDelay({ 'retry-after': value }, nowAt)).toEqual(delay(delayMs));
  });

  it('reads a two-digit year more than 50 years ahead as a past one', () => {
    const nowAt = Date.UTC(2026, 10, 6, 8, 49, 37);

    expect(parseServerDelay({ 'retry-after': 'Sunday, 06-Nov-94 08:49:37 GMT' }, nowAt)).toEqual({
      type: 'absent',
    });
    expect(parseServerDelay({ 'retry-after': 'Friday, 06-Nov-76 08:49:38 GMT' }, nowAt)).toEqual({
      type: 'absent',
    });
  });

  it.each([
    'Sat, 31 Dec 2016 24:00:00 GMT',
    'Sat, 31 Dec 2016 23:60:00 GMT',
    'Sat, 31 Dez 2016 23:00:00 GMT',
    'Sat, 00 Dec 2016 23:00:00 GMT',
    // days that their month does not have are not those of the next one
    'Sat, 30 Feb 2030 12:00:00 GMT',
    'Fri, 29 Feb 2030 12:00:00 GMT',
    'Tuesday, 31-Apr-96 12:00:00 GMT',
    'Tue Jun 31 12:00:00 2030',
  ])('calls %s malformed', (value) => {
    expect(parse({ 'retry-after': value })).toEqual(malformed('retry-after', value));
  });
});

describe('parseServerDelay of rate limits', () => {
  const RESETS = ['ratelimit-reset', 'x-ratelimit-reset', 'x-rate-limit-reset', 'x-ratelimit-retry-after'];
  const rateLimit = (headers: HeaderSource, status: number | undefined = 429) =>
    parseServerDelay(headers, NOW, status);

  it.each(RESETS)('reads %s as seconds, or as an instant in seconds or milliseconds', (header) => {
    expect(rateLimit({ [header]: '30' })).toEqual(delay(30_000));
    expect(rateLimit({ [header]: '0.5' })).toEqual(delay(500));
    expect(rateLimit({ [header]: String(NOW / 1_000 + 30) })).toEqual(delay(30_000));
    expect(rateLimit({ [header]: String(NOW + 30_000) })).toEqual(delay(30_000));
    expect(rateLimit({ [header]: IMF_FIXDATE })).toEqual(delay(30_000));
    expect(rateLimit({ [header]: String(NOW / 1_000 - 30) })).toEqual({ type: 'absent' });
    expect(rateLimit({ [header]: 'soon' })).toEqual(malformed(header, 'soon'));
  });

  it.each(RESETS)('reads %s on 429 and 503 alone', (header) => {
    expect(rateLimit({ [header]: '30' }, 503)).toEqual(delay(30_000));
    expect(rateLimit({ [header]: '30' }, 500)).toEqual({ type: 'absent' });
    expect(parse({ [header]: '30' })).toEqual({ type: 'absent' });
  });

  it.each([
    ['"default";r=0;t=30', 30_000],
    ['"default"; r=0; t=30', 30_000],
    ['"burst;t=99";r=0;t=10, "daily";r=0;t=30', 30_000],
    // what is left of a limit is no reason to wait for it
    ['"burst";r=0;t=10, "daily";r=50;t=36000', 10_000],
    ['limit=100, remaining=0, reset=30', 30_000],
    [String.raw`"a\";t=99";r=0;t=30`, 30_000],
    ['"default";t=30', 30_000],
    ['"a";t=30, "b";r=5;t=99', 30_000],
  ])('reads RateLimit: %s', (value, delayMs) => {
    expect(rateLimit({ RateLimit: value })).toEqual(delay(delayMs));
  });

  it.each([
    'r=5;t=30',
    '"default";r=5;t=30',
    '"a";r=1;t=30, "b";r=05;t=9',
    'limit=100, remaining=50, reset=30',
  ])('does not wait for a limit with something left: %s', (value) => {
    expect(rateLimit({ RateLimit: value })).toEqual({ type: 'absent' });
  });

  it.each([
    ['6m0s', 360_000],
    ['2s', 2_000],
    ['1.5s', 1_500],
    ['17ms', 17],
    ['1h2m3s', 3_723_000],
  ])('reads a reset written as Go does: %s', (value, delayMs) => {
    expect(rateLimit({ 'x-ratelimit-reset-requests': value })).toEqual(delay(delayMs));
  });

  it('waits for the longest of the limits of a vendor that are used up', () => {
    const openai = {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '2s',
      'x-ratelimit-remaining-tokens': '5',
      'x-ratelimit-reset-tokens': '6m0s',
    };

    expect(rateLimit(openai)).toEqual(delay(2_000));
    expect(rateLimit({ ...openai, 'x-ratelimit-remaining-tokens': '0' })).toEqual(delay(360_000));
    expect(rateLimit({ ...openai, 'retry-after': '1' })).toEqual(delay(1_000));
  });

  it('reads the limits of hapi-rate-limit, which sends no Retry-After', () => {
    const resetAt = NOW + 40_000;
    const hapi = {
      'x-ratelimit-pathremaining': '-1',
      'x-ratelimit-pathreset': String(resetAt),
      'x-ratelimit-userremaining': '4',
      'x-ratelimit-userreset': String(resetAt + 20_000),
    };

    expect(rateLimit(hapi)).toEqual(delay(40_000));
    expect(rateLimit({ ...hapi, 'x-ratelimit-userremaining': '0' })).toEqual(delay(60_000));
  });

  it('reads a reset that is an instant in RFC 3339', () => {
    const headers = {
      date: 'Sat, 28 Nov 2026 13:40:24 GMT',
      'anthropic-ratelimit-requests-reset': '2026-11-28T13:40:27.500Z',
    };

    expect(rateLimit(headers)).toEqual(delay(3_500));
    expect(rateLimit({ ...headers, 'anthropic-ratelimit-requests-remaining': '3' })).toEqual({
      type: 'absent',
    });
    expect(rateLimit({ date: headers.date, 'x-ratelimit-reset': '2026-11-28T14:40:27+01:00' })).toEqual(
      delay(3_000),
    );
  });

  it('reads the reset of Discord and of Contentful', () => {
    expect(rateLimit({ 'x-ratelimit-reset-after': '0.5', 'x-ratelimit-remaining': '0' })).toEqual(delay(500));
    expect(rateLimit({ 'x-contentful-ratelimit-reset': '3' })).toEqual(delay(3_000));
  });

  it('reads the limits of a 403 only where nothing remains', () => {
    const reset = { 'x-ratelimit-reset': '30' };

    expect(rateLimit({ ...reset, 'x-ratelimit-remaining': '0' }, 403)).toEqual(delay(30_000));
    expect(rateLimit({ ...reset, 'x-ratelimit-remaining': '9' }, 403)).toEqual({ type: 'absent' });
    expect(rateLimit(reset, 403)).toEqual({ type: 'absent' });
  });

  it('takes stripe-should-retry: false for a refusal', () => {
    expect(parse({ 'stripe-should-retry': 'false' })).toEqual({ type: 'refused' });
    expect(parse({ 'stripe-should-retry': 'true' })).toEqual({ type: 'absent' });
  });

  it('calls a RateLimit without a time malformed', () => {
    expect(rateLimit({ ratelimit: '"default";r=0' })).toEqual(malformed('ratelimit', '"default";r=0'));
    for (const open of ['"a;r=0;t=30', '"a";r=0;t="30', '"a\\'])
      expect(rateLimit({ ratelimit: open })).toEqual(malformed('ratelimit', open));
  });

  it('believes every other header first', () => {
    expect(rateLimit({ 'ratelimit-reset': '30', 'retry-after': '5' })).toEqual(delay(5_000));
    expect(rateLimit({ 'x-ratelimit-reset': '30', 'x-ratelimit-retry-after': '5' })).toEqual(delay(5_000));
  });

  it('ignores a reset while the limit is not used up', () => {
    const github = { 'x-ratelimit-remaining': '4999', 'x-ratelimit-reset': '3000' };

    expect(rateLimit(github, 503)).toEqual({ type: 'absent' });
    expect(rateLimit({ ...github, 'x-ratelimit-remaining': '0' }, 503)).toEqual(delay(3_000_000));
  });

  it.each(['10, 0', '0, 10'])('counts a reset of several limits of which one is used up: %s', (remaining) => {
    const headers = { 'ratelimit-remaining': remaining, 'ratelimit-reset': '1, 30' };

    expect(rateLimit(headers)).toEqual(delay(30_000));
    expect(rateLimit({ ...headers, 'ratelimit-remaining': '10, 3' })).toEqual({ type: 'absent' });
  });

  it('counts an instant from the Date header, not from a skewed clock', () => {
    const headers = { 'x-ratelimit-reset': String(NOW / 1_000 + 60), date: IMF_FIXDATE };

    expect(parseServerDelay(headers, Date.UTC(2100, 0), 429)).toEqual(delay(30_000));
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

  it.each(['retry-after-ms', 'x-ms-retry-after-ms'])(
    'reads a %s that is not a number as malformed',
    (header) => {
      expect(parse({ [header]: '-5' })).toEqual(malformed(header, '-5'));
      expect(parse({ [header]: 'x' })).toEqual(malformed(header, 'x'));
      expect(parse({ [header]: '5 ms' })).toEqual(malformed(header, '5 ms'));
      expect(parse({ [header]: '5.' })).toEqual(malformed(header, '5.'));
    },
  );

  it.each(['-1', 'x', ''])('reads a gRPC pushback of %j as a refusal', (value) => {
    // gRPC proposal A6
    expect(parse({ 'grpc-retry-pushback-ms': value })).toEqual({ type: 'refused' });
  });

  it('reads x-should-retry: false as a refusal, any other value as absent', () => {
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

  it('is malformed without another valid header', () => {
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
    ['a list', { 'retry-after': ['5', '2'] }],
    [
      'repeated fetch headers',
      new Headers([
        ['Retry-After', '2'],
        ['Retry-After', '5'],
      ]),
    ],
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
    ['text, as no type allows', 'retry-after: 5' as unknown as HeaderSource],
    ['inherited headers', Object.create({ 'retry-after': '5' })],
    ['a value that cannot be looked at', { 'retry-after': revoked() }],
    ['a list that throws', { 'retry-after': new Proxy([], { get: fail }) }],
  ])('is absent for %s', (_name, headers) => {
    expect(parse(headers)).toEqual({ type: 'absent' });
  });
});

it.each([5n, Symbol('now'), Object.create(null), null, undefined])(
  'does not throw for a date, nor ask for a delay, where now is no number: %o',
  (now) => {
    const headers = { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' };

    expect(parseServerDelay(headers, now as never)).toEqual({ type: 'absent' });
  },
);

describe('a plain object of headers', () => {
  it('is looked through once, however many names are asked for', () => {
    const seen: PropertyKey[] = [];
    const given = {
      'Content-Type': 'text/plain',
      'X-RateLimit-Reset': '9',
      Date: IMF_FIXDATE,
      'RETRY-AFTER': IMF_FIXDATE,
    };
    const headers = new Proxy(given, {
      get: (target, name) => {
        seen.push(name);
        return Reflect.get(target, name);
      },
    });

    parse(headers, 429);

    expect(seen.filter((name) => name !== 'get')).toEqual(Object.keys(given));
  });

  it('has the first value of a name that is written in several cases', () => {
    expect(
      parse({ 'Retry-After': undefined, 'RETRY-AFTER': '5', 'retry-after': '9' } as HeaderSource),
    ).toEqual(delay(5_000));
  });
});

function revoked(): readonly string[] {
  const { proxy, revoke } = Proxy.revocable<string[]>([], {});
  revoke();
  return proxy;
}

function fail(): never {
  throw new Error('not yours');
}
