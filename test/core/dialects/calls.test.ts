import { delayBounds } from '@retry/core';
import { effect } from '@retry/core/dialects/effect';
import { elixirRetry } from '@retry/core/dialects/elixir-retry';
import { tenacity } from '@retry/core/dialects/tenacity';
import { describe, expect, it } from 'vitest';
import { codesOf, problemsOf } from './problems.ts';

const SYSTEMS = {
  tenacity: { system: tenacity, key: 'wait' },
  effect: { system: effect, key: 'schedule' },
  elixir: { system: elixirRetry, key: 'stream' },
} as const;

describe('an option that is written as calls in code', () => {
  it.each([
    ['a function that there is not', 'tenacity', 'wait_expo(1)'],
    ['text for a number', 'tenacity', 'wait_exponential(multiplier="a")'],
    ['a parameter that there is not', 'tenacity', 'wait_exponential(base=2)'],
    ['more arguments than parameters', 'tenacity', 'wait_fixed(1, 2)'],
    ['a negative length of time', 'tenacity', 'wait_fixed(-1)'],
    ['words beside the calls', 'tenacity', 'wait_fixed(1) if True else wait_none()'],
    ['a function that there is not', 'effect', 'backoff("1 second")'],
    ['a unit that there is not', 'effect', 'exponential("100 sec")'],
    ['a length of time without a number', 'effect', 'spaced("second")'],
    ['text for a count', 'effect', 'recurs("many")'],
    ['a function that there is not', 'elixir', 'expo_backoff(5)'],
    ['a change of nothing', 'elixir', 'cap(2000)'],
    ['a stream behind another one', 'elixir', 'linear_backoff(5, 5) |> constant_backoff(10)'],
    ['text for a number', 'elixir', 'exponential_backoff(100, "2x")'],
  ] as const)('is refused with %s: %s %s', (_what, name, written) => {
    const { system, key } = SYSTEMS[name];

    expect(problemsOf(() => system.from({ [key]: written }))).toEqual([key]);
  });

  it.each([
    ['by position', 'tenacity', 'wait_exponential(2, 60)', 2_000],
    ['by name', 'tenacity', 'wait_exponential(max=60, multiplier=2)', 2_000],
    ['with underscores', 'tenacity', 'wait_fixed(1_000)', 1_000_000],
    ['as a number of milliseconds', 'effect', 'exponential(100)', 100],
    ['with a unit', 'effect', 'spaced("2 minutes")', 120_000],
    ['in a pipe', 'elixir', 'exponential_backoff(300) |> cap(200)', 200],
  ] as const)('takes arguments %s: %s %s', (_how, name, written, firstMs) => {
    const { system, key } = SYSTEMS[name];

    expect(delayBounds(system.from({ [key]: written }).policy, 1)).toEqual([firstMs, firstMs]);
  });

  it('waits no negative time when a wait of tenacity shrinks', () => {
    const { policy } = tenacity.from({
      wait: 'wait_incrementing(start=3, increment=-2)',
      stop_after_attempt: 5,
    });

    expect([1, 2, 3].map((retry) => delayBounds(policy, retry)[0])).toEqual([3_000, 1_000, 0]);
  });

  it.each([
    ['wait_fixed(1) + wait_random_exponential(max=60)', true],
    ['wait_fixed(1) + wait_exponential_jitter(max=60)', true],
    ['wait_fixed(1) + wait_exponential_jitter()', false],
    ['wait_fixed(1) + wait_random(0, 2)', false],
    ['wait_random_exponential(max=60)', false],
  ])(
    'warns of a sum of tenacity in which what is drawn changes from retry to retry: %s, %s',
    (wait, warned) => {
      const { warnings } = tenacity.from({ wait, stop_after_attempt: 5 });

      expect(codesOf(warnings)).toEqual(warned ? ['DIFFERS wait'] : []);
    },
  );
});
