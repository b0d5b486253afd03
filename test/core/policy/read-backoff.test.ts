import { type BackoffInput, definePolicy } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';

const backoffOf = (backoff: unknown) =>
  settingsOf(definePolicy({ backoff: backoff as BackoffInput })).backoff;

describe('readBackoff', () => {
  it.each([
    [{ type: 'none' }, { type: 'none' }],
    [
      { type: 'constant', base: '2s' },
      { type: 'constant', baseMs: 2_000 },
    ],
    [
      { type: 'linear', base: '1s' },
      { type: 'linear', baseMs: 1_000, incrementMs: 1_000 },
    ],
    [
      { type: 'linear', base: '1s', increment: 0 },
      { type: 'linear', baseMs: 1_000, incrementMs: 0 },
    ],
    [
      { type: 'exponential', base: 100 },
      { type: 'exponential', baseMs: 100, factor: 2 },
    ],
    [
      { type: 'exponential', base: 100, factor: 0 },
      { type: 'exponential', baseMs: 100, factor: 0 },
    ],
    [
      { type: 'fibonacci', base: 10 },
      { type: 'fibonacci', baseMs: 10 },
    ],
    [
      { type: 'decorrelated', base: 10 },
      { type: 'decorrelated', baseMs: 10 },
    ],
    [
      { type: 'list', delays: ['1s', 0, 2.5] },
      { type: 'list', delaysMs: [1_000, 0, 2.5] },
    ],
  ])('reads %o', (input, backoff) => {
    expect(backoffOf(input)).toEqual(backoff);
  });

  it.each([
    [{ type: 'constant' }, 'backoff.base must be a finite duration ≥ 0, got undefined.'],
    [{ type: 'constant', base: Infinity }, 'backoff.base must be a finite duration ≥ 0, got Infinity.'],
    [
      { type: 'linear', base: 1, increment: '-1s' },
      'backoff.increment must be a finite duration ≥ 0, got "-1s".',
    ],
    [{ type: 'exponential', base: 1, factor: -1 }, 'backoff.factor must be a finite number ≥ 0, got -1.'],
    [
      { type: 'constant', base: 1, factor: 2 },
      'backoff.factor is not a known key, got 2. Known keys are type, base.',
    ],
    [{ type: 'constant', baseMs: 1, base: 1 }, 'Use base: it takes milliseconds'],
    [{ type: 'none', base: 1 }, 'backoff.base is not a known key, got 1. Known keys are type.'],
    [{ type: 'list' }, 'backoff.delays must be a list of 1 to 10000 finite durations ≥ 0, got undefined.'],
    [{ type: 'list', delays: [1, 'x'] }, 'backoff.delays must be a list of 1 to 10000 finite durations ≥ 0'],
    [{ type: 'list', delays: ['1s', 'Infinity'] }, "Use delays: ['1s', '5s', '1m']."],
    [
      { type: 'custom' },
      'backoff.strategy must be a function, an object with next, or a name in the registry',
    ],
    [{ type: 'custom', strategy: 'x' }, 'it has none.'],
    [
      { type: 'custom', strategy: () => 1, base: Infinity },
      'backoff.base must be a finite duration ≥ 0, got Infinity.',
    ],
    [{ type: 'quadratic', base: 1 }, 'backoff.type is not a kind of backoff, got "quadratic".'],
    [
      { base: 1 },
      'Use one of none, constant, linear, exponential, polynomial, fibonacci, decorrelated, list, custom.',
    ],
    ['exponential', 'backoff must be an object, got "exponential".'],
  ])('refuses %o', (input, message) => {
    expect(() => backoffOf(input)).toThrow(message);
  });

  it('names the strategies that the registry has', () => {
    const strategies = { patient: () => 1, eager: () => 0 };

    expect(() => definePolicy({ backoff: { type: 'custom', strategy: 'x' } }, { strategies })).toThrow(
      'Pass { strategies: { name: (retry, context) => ms } }; it has patient, eager.',
    );
  });

  it('takes a long list', () => {
    const delays = Array.from({ length: 10_000 }, () => 1);

    expect(backoffOf({ type: 'list', delays })).toEqual({ type: 'list', delaysMs: delays });
  });
});
