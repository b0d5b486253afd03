import { InvalidOptionsError } from '@retry/core';
import type { CircuitBreakerInput } from '@retry/core/circuit-breaker';
import { CIRCUIT_BREAKER_KEYS, defineCircuitBreaker, readCircuitBreaker } from '@retry/core/circuit-breaker';
import { readOptions } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';

function problemsOf(input: unknown): unknown {
  try {
    return defineCircuitBreaker(input as CircuitBreakerInput); // what JavaScript callers and files give
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.problems;
    throw error;
  }
}

describe('defineCircuitBreaker', () => {
  it('fills in the numbers of Polly', () => {
    const defaults = {
      failureRatio: 0.1,
      minimumThroughput: 100,
      samplingDurationMs: 30_000,
      breakDurationMs: 5_000,
    };

    expect(defineCircuitBreaker()).toEqual(defaults);
    expect(defineCircuitBreaker({})).toEqual(defaults);
  });

  it('reads what is written, durations as text', () => {
    expect(
      defineCircuitBreaker({
        failureRatio: 1,
        minimumThroughput: 1,
        samplingDuration: '1m',
        breakDuration: '30s',
      }),
    ).toEqual({ failureRatio: 1, minimumThroughput: 1, samplingDurationMs: 60_000, breakDurationMs: 30_000 });
  });

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(defineCircuitBreaker())).toBe(true);
  });

  it.each<[string, string, unknown]>([
    ['a ratio of 0', 'failureRatio', { failureRatio: 0 }],
    ['a ratio over 1', 'failureRatio', { failureRatio: 1.01 }],
    ['a ratio that is no number', 'failureRatio', { failureRatio: Number.NaN }],
    ['a ratio as text', 'failureRatio', { failureRatio: '0.5' }],
    ['a throughput of 0', 'minimumThroughput', { minimumThroughput: 0 }],
    ['half an outcome', 'minimumThroughput', { minimumThroughput: 1.5 }],
    ['a throughput without end', 'minimumThroughput', { minimumThroughput: Infinity }],
    ['a window of 0', 'samplingDuration', { samplingDuration: 0 }],
    ['a window without end', 'samplingDuration', { samplingDuration: 'Infinity' }],
    ['a break of less than 1 ms', 'breakDuration', { breakDuration: 0.5 }],
    ['a break without end', 'breakDuration', { breakDuration: Infinity }],
    ['a key of another library', 'halfOpenAfter', { halfOpenAfter: 1_000 }],
  ])('refuses %s and says where', (_, path, input) => {
    expect(problemsOf(input)).toEqual([
      {
        path,
        value: Object.values(input as object)[0],
        message: expect.any(String),
        cure: expect.any(String),
      },
    ]);
  });

  it('lists every problem', () => {
    expect(problemsOf({ failureRatio: 2, minimumThroughput: 0, breakDuration: -1 })).toHaveLength(3);
  });

  it('refuses anything but an object', () => {
    expect(problemsOf(5)).toMatchObject([{ path: '', value: 5 }]);
    expect(problemsOf(null)).toMatchObject([{ path: '', value: null }]);
  });

  it('can be read from an object with further keys', () => {
    const keys = [...CIRCUIT_BREAKER_KEYS, 'onStateChange'];
    const read = (input: unknown): unknown => readOptions(input, { subject: 'x', keys }, readCircuitBreaker);

    expect(read({ minimumThroughput: 10, onStateChange: () => 0 })).toEqual(
      defineCircuitBreaker({ minimumThroughput: 10 }),
    );
  });
});
