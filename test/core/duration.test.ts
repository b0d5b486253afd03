import { type Duration, definePolicy, formatDuration, InvalidOptionsError, parseDuration } from '@retry/core';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../support/wrong-input.ts';

describe('parseDuration', () => {
  it.each<[Duration, number]>([
    ['500ms', 500],
    ['2s', 2_000],
    ['1.5s', 1_500],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['1.5h', 5_400_000],
    ['1d', 86_400_000],
    ['0ms', 0],
    ['0.25ms', 0.25],
    ['007s', 7_000],
    ['Infinity', Infinity],
  ])('reads %s as %d ms', (written, ms) => {
    expect(parseDuration(written)).toBe(ms);
  });

  it.each([0, 0.5, 1, 2 ** 31, Number.MAX_VALUE, Infinity])('reads the number %d as milliseconds', (ms) => {
    expect(parseDuration(ms)).toBe(ms);
  });

  it('reads -0 as 0', () => {
    expect(parseDuration(-0)).toBe(0);
  });

  it.each([-1, -5e-324, -Infinity, Number.NaN])('refuses the number %d', (ms) => {
    expect(() => parseDuration(ms)).toThrow(InvalidOptionsError);
  });

  it.each([
    '',
    '5',
    's',
    '5 s',
    ' 5s',
    '5s ',
    '5s\n',
    '-5s',
    '+5s',
    '1e3ms',
    '.5s',
    '5.s',
    '5S',
    '5w',
    '1m30s',
    '٥s',
  ])('refuses the text %j', (written) => {
    expect(() => parseDuration(written)).toThrow(InvalidOptionsError);
  });

  it.each([undefined, null, true, {}, [], ['5s'], 5n, Symbol('5s'), () => 5])('refuses %o', (value) => {
    expect(() => parseDuration(value)).toThrow(InvalidOptionsError);
  });

  it.each([
    ['30 s', "Write '30s'."],
    ['30S', "Write '30s'."],
    ['30sec', "Write '30s'."],
    ['1.5 minutes', "Write '1.5m'."],
    ['2 Hours', "Write '2h'."],
    ['250 millis', "Write '250ms'."],
    ['250MS', "Write '250ms'."],
    ['30', "Write its unit: '30s' or '30ms'."],
    ['2 months', "Use milliseconds or text like '500ms', '2s', '5m'."],
    ['soon', "Use milliseconds or text like '500ms', '2s', '5m'."],
    [-1, "Use milliseconds or text like '500ms', '2s', '5m'."],
  ])('says of %j what to write', async (value, cure) => {
    expect(await refusalOf(() => parseDuration(value))).toMatchObject({
      code: 'INVALID_OPTIONS',
      problems: [{ path: '', value, message: 'must be a duration ≥ 0', cure }],
    });
  });

  it('ends an option that a default would replace', () => {
    expect(() => definePolicy({ totalTimeout: parseDuration('30 s') })).toThrow(
      'invalid duration\n- the duration must be a duration ≥ 0, got "30 s". Write \'30s\'.',
    );
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0ms'],
    [0.256, '0.26ms'],
    [999, '999ms'],
    [1_000, '1s'],
    [1_234, '1.23s'],
    [60_000, '1m'],
    [90_000, '1.5m'],
    [3_600_000, '1h'],
    [5_400_000, '1.5h'],
    [86_400_000, '1d'],
    [31_536_000_000, '365d'],
    [Infinity, 'no limit'],
    [Number.NaN, 'unknown'],
    [undefined as never, 'unknown'],
  ])('writes %d ms as %s', (ms, written) => {
    expect(formatDuration(ms)).toBe(written);
  });
});
