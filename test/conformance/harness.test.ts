import { describe, expect, it } from 'vitest';
import {
  expected,
  integer,
  listOf,
  number,
  oneOf,
  optional,
  orNull,
  text,
  unreadable,
} from './case-schema.ts';
import { isManualRetry, runManual } from './celery-call.ts';
import { makeErrorClasses } from './error-classes.ts';
import { readFailure } from './failure-text.ts';
import { readScenario } from './jobbers-scenario.ts';
import { STEP_STATES, stepTransitions } from './tasker-moves.ts';

const schema = {
  attempt: integer,
  u: optional(number),
  names: optional(listOf(orNull(text))),
  ...expected({ delay: number }),
};

describe('unreadable', () => {
  it('accepts a case with the fields of its kind, and those of every case', () => {
    const given = { id: 'a', kind: 'delay', note: 'n', config: {}, attempt: 1, names: ['x', null], delay: 2 };

    expect(unreadable(given, schema)).toBeUndefined();
  });

  it.each([
    ['an unknown field', { attempt: 1, surprise: 1 }, 'no runner of delay reads the field surprise'],
    ['a key of every object', { attempt: 1, toString: 1 }, 'no runner of delay reads the field toString'],
    ['a missing field', { delay: 1 }, 'the field attempt is missing'],
    ['a field of another type', { attempt: '1' }, 'attempt is "1", not an integer'],
    ['a strange item of a list', { attempt: 1, names: [5] }, 'names is [5], not a list, each text or null'],
  ])('names %s', (_, fields, reason) => {
    expect(unreadable({ id: 'a', kind: 'delay', ...fields }, schema)).toBe(reason);
  });

  it('accepts only the listed words', () => {
    const states = { state: oneOf('error', 'pending') };

    expect(unreadable({ id: 'a', kind: 'k', ...{ state: 'pending' } }, states)).toBeUndefined();
    expect(unreadable({ id: 'a', kind: 'k', ...{ state: 'lost' } }, states)).toBe(
      'state is "lost", not one of error, pending',
    );
  });
});

describe('readFailure', () => {
  it.each([
    ['always ValueError', { name: 'ValueError', failures: Infinity }],
    ['CancelledError (worker shutdown)', { name: 'CancelledError', failures: Infinity }],
    ['always celery.exceptions.Ignore', { name: 'Ignore', failures: Infinity }],
    ['always, reported as retryable', { failures: Infinity }],
    ['always ValueError, first 8 delays', { name: 'ValueError', failures: Infinity }],
    ['fails twice then succeeds', { failures: 2 }],
    ['fails 4 times with KeyError, then succeeds', { name: 'KeyError', failures: 4 }],
    ['raises ValueError once, then returns', { name: 'ValueError', failures: 1 }],
    ['fails seven times then succeeds', { failures: 7 }],
    ['always raises KeyError, the first 5 delays shown', { name: 'KeyError', failures: Infinity }],
    ['always, not retryable', { failures: Infinity }],
    ['succeeds', { failures: 0 }],
    ['returns normally', { failures: 0 }],
  ])('reads %s', (text, plan) => {
    expect(readFailure(text)).toEqual(plan);
  });

  it.each([
    '',
    'sometimes ValueError',
    'fails often then succeeds',
    'ValueError then KeyError',
    'always ValueError or not',
  ])('does not understand "%s"', (text) => {
    expect(() => readFailure(text)).toThrow('Cannot read the failure');
  });
});

describe('readScenario', () => {
  const read = (scenario: string) =>
    readScenario({ scenario, config: { expected_exceptions: ['KeyError'] } });

  it.each([
    ['returns', { raises: undefined, runs: 1 }],
    ['raises a listed exception, twice', { raises: 'KeyError', failures: Infinity, runs: 2 }],
    ['raises a listed exception once, then returns', { raises: 'KeyError', failures: 1, runs: 100 }],
    ['raises an unlisted exception', { raises: 'UnlistedError', failures: Infinity, runs: 1 }],
    ['raises TimeoutError, not listed', { raises: 'TimeoutError', runs: 1 }],
    ['times out', { hangs: true, failures: Infinity, runs: 1 }],
    ['runs into its timeout twice, then returns', { hangs: true, failures: 2, runs: 100 }],
    ['raises a listed exception until retries are exhausted', { raises: 'KeyError', runs: 100 }],
    ['returns None', { raises: undefined, runs: 1 }],
    ['unknown task version', { isKnown: false }],
    ['unknown version', { isKnown: false }],
  ])('reads %s', (scenario, script) => {
    expect(read(scenario)).toMatchObject(script);
  });

  it.each(['raises many exceptions', 'is cancelled', 'returns late', ''])(
    'does not understand "%s"',
    (scenario) => {
      expect(() => read(scenario)).toThrow('Cannot read the scenario');
    },
  );
});

describe('runManual', () => {
  it('succeeds if the run after a call returns', () => {
    const run = runManual({ max_retries: 5 }, 'self.retry(countdown=5, throw=False), then returns');

    expect(run).toEqual({ state: 'SUCCESS', total_executions: 2, countdowns: [5] });
  });

  it('ends with an error if every run calls', () => {
    const run = runManual({ max_retries: 1 }, 'self.retry(countdown=5)');

    expect(run).toMatchObject({ state: 'FAILURE', total_executions: 2, countdowns: [5] });
  });

  it.each([
    [
      'raise self.retry(exc=KeyError("x")) until exhausted',
      { final_exception: 'KeyError', total_executions: 2 },
    ],
    ['self.retry(exc=KeyError()) direct call', { final_exception: 'KeyError', total_executions: 1 }],
    ['always self.retry()', { final_exception: 'MaxRetriesExceededError', total_executions: 2 }],
  ])('reads %s', (text, run) => {
    expect(runManual({ max_retries: 1 }, text)).toMatchObject({ state: 'FAILURE', ...run });
  });

  it('refuses text that it does not understand', () => {
    expect(isManualRetry('self.retry(countdown=5) at noon')).toBe(true);
    expect(() => runManual({}, 'self.retry(countdown=5) at noon')).toThrow('Cannot read the failure');
  });
});

describe('makeErrorClasses', () => {
  it.each([
    ['KeyboardInterrupt', 'Exception', false],
    ['KeyboardInterrupt', 'BaseException', true],
    ['UnicodeDecodeError', 'ValueError', true],
    ['FileNotFoundError', 'OSError', true],
    ['AnythingElse', 'Exception', true],
  ])('makes %s in Python with %s above it: %s', (name, above, isAbove) => {
    const classOf = makeErrorClasses();

    expect(new (classOf(name))() instanceof classOf(above)).toBe(isAbove);
  });

  it.each([
    ['Interrupt', 'StandardError', false],
    ['Interrupt', 'Exception', true],
    ['NotImplementedError', 'StandardError', false],
    ['AnythingElse', 'StandardError', true],
  ])('makes %s in Ruby with %s above it: %s', (name, above, isAbove) => {
    const classOf = makeErrorClasses([], 'ruby');

    expect(new (classOf(name))() instanceof classOf(above)).toBe(isAbove);
  });
});

describe('the steps of Tasker', () => {
  const worker = {
    complete: 'complete',
    fail: 'error',
    cancel: 'cancelled',
    wait_for_retry: 'waiting_for_retry',
  };

  it.each([
    ['pending', { start: 'in_progress', cancel: 'cancelled' }],
    ['enqueued', { start: 'in_progress', cancel: 'cancelled' }],
    ['in_progress', worker],
    ['enqueued_for_orchestration', worker],
    ['enqueued_as_error_for_orchestration', worker],
    ['waiting_for_retry', { retry: 'pending', cancel: 'cancelled' }],
    ['complete', {}],
    ['error', { retry: 'pending', reset_for_retry: 'pending' }],
    ['cancelled', {}],
    ['resolved_manually', {}],
  ])('lead from %s to the states of the lifecycle', (from, allowed) => {
    expect(STEP_STATES).toContain(from);
    expect(stepTransitions.answer({ from, allowed: {} } as never)).toEqual({
      allowed,
      count: Object.keys(allowed).length,
    });
  });

  it('are ten states', () => {
    expect(STEP_STATES).toHaveLength(10);
  });
});
