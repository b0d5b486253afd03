import { decide, definePolicy, explain, matchesError, RetryAfterError } from '@retry/core';
import { describe, expect, it } from 'vitest';

/** The three forms of an HTTP date, of one instant in 2026. */
const IMF_FIXDATE = 'Fri, 06 Nov 2026 08:49:37 GMT';
const RFC_850 = 'Friday, 06-Nov-26 08:49:37 GMT';
const ASCTIME = 'Fri Nov  6 08:49:37 2026';

const AT = Date.parse(IMF_FIXDATE);

const answered = (headers: object, status = 413): object => ({ status, headers });

const policy = definePolicy({ retryOn: [{ status: 413, retryAfter: true }] });

describe('{ retryAfter: true }', () => {
  it.each([
    ['seconds', { 'retry-after': '5' }],
    ['no seconds', { 'retry-after': '0' }],
    ['an IMF-fixdate', { 'retry-after': IMF_FIXDATE }],
    ['an RFC 850 date of this century', { 'retry-after': RFC_850 }],
    ['an RFC 850 date of the last one', { 'retry-after': 'Sunday, 06-Nov-94 08:49:37 GMT' }],
    ['an RFC 850 date in the fifties', { 'retry-after': 'Sunday, 06-Nov-55 08:49:37 GMT' }],
    ['an asctime date', { 'retry-after': ASCTIME }],
    ['a date before 1970', { 'retry-after': 'Thu, 06 Nov 1969 08:49:37 GMT' }],
    ['a date behind that of the response', { date: 'Fri, 06 Nov 2026 08:49:07 GMT', 'retry-after': RFC_850 }],
  ])('matches a response that asks for %s', (_name, headers) => {
    expect(matchesError({ retryAfter: true }, answered(headers))).toBe(true);
    expect(matchesError({ cause: { retryAfter: true } }, { cause: answered(headers) })).toBe(true);
  });

  it.each([
    ['nothing', {}],
    ['what cannot be read', { 'retry-after': 'soon' }],
    ['a date that no month has', { 'retry-after': 'Mon, 31 Feb 2026 08:49:37 GMT' }],
    ['no retry', { 'x-should-retry': 'false', 'retry-after': '5' }],
    ['a date that its own Date says is over', { date: IMF_FIXDATE, 'retry-after': RFC_850 }],
  ])('does not match a response that asks for %s', (_name, headers) => {
    expect(matchesError({ retryAfter: true }, answered(headers))).toBe(false);
  });

  it('matches the reset of a limit, and a RetryAfterError', () => {
    expect(matchesError({ retryAfter: true }, answered({ 'ratelimit-reset': '30' }, 429))).toBe(true);
    expect(matchesError({ retryAfter: true }, answered({ 'ratelimit-reset': String(AT / 1_000) }, 429))).toBe(
      true,
    );
    expect(matchesError({ retryAfter: true }, new RetryAfterError(0))).toBe(true);
  });

  it.each([AT - 60_000, AT, AT + 60_000, Number.NaN])('depends on no clock: at %s', (now) => {
    const error = answered({ 'retry-after': RFC_850 });
    const decision = decide(policy, { failures: 1 }, { error }, { now, random: () => 0 });

    expect(decision.type).toBe('retry');
    expect(explain(policy, error)).toMatchObject({ retries: true, rule: 'retryOn[0]' });
  });
});
