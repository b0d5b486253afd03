import type { CeleryOptions, CmdxOptions, FluidOptions, TaskerOptions } from '@retry/core/dialects';
import { fromCelery, fromCmdx, fromFluid, fromTasker } from '@retry/core/dialects';
import { celeryInterval, celeryRetry } from '@retry/core/dialects/parity';
import { settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';
import { messageOf } from './problems.ts';

const IN_SECONDS = 'Write seconds as a plain number: 2, not 2000 or "2s".';
const problem = (line: string, subject = 'policy'): string => `invalid ${subject}\n- ${line}`;

describe('a problem of fromFluid', () => {
  it.each<[FluidOptions, string]>([
    [{ retry: { wait: -1 } }, `retry.wait must be a finite number of seconds ≥ 0, got -1. ${IN_SECONDS}`],
    [{ retry: { max_wait: -1 } }, `retry.max_wait must be a number of seconds ≥ 0, got -1. ${IN_SECONDS}`],
    [
      { timeout_seconds: 0.5 },
      'timeout_seconds must be at least 1, there too, got 0.5. Leave it out for the default.',
    ],
    [
      { retry: { max_attempts: 1.5 } },
      'retry.max_attempts must be an integer, got 1.5. The default is no limit.',
    ],
    [{ max_concurrency: -1 }, 'max_concurrency must be an integer ≥ 0, got -1. The default is 0.'],
    [
      { retry: { backoff: -1 } },
      'retry.backoff must be a finite number ≥ 0, got -1. Use 1 for a constant delay, 2 to double it each time.',
    ],
  ])('of %j has the value and the cure', (options, line) => {
    expect(messageOf(() => fromFluid(options))).toBe(problem(line, 'fluid options'));
  });

  it.each([
    ['max_attempts', 'It belongs in retry.'],
    ['wait', 'It belongs in retry.'],
    ['exceptions', 'It belongs in retry.'],
    ['retries', 'Use retry: { max_attempts: … }, which counts retries.'],
    ['max_retries', 'Use retry: { max_attempts: … }, which counts retries.'],
    ['timeout', 'Use timeout_seconds.'],
  ])("of %s beside retry has a cure in fluid's own names", (key, cure) => {
    expect(messageOf(() => fromFluid({ [key]: 3 } as never))).toBe(
      problem(`${key} is not a known key, got 3. ${cure}`, 'fluid options'),
    );
  });

  it('is absent for a factor of 0', () => {
    expect(settingsOf(fromFluid({ retry: { backoff: 0 } }).policy).backoff).toMatchObject({ factor: 0 });
  });
});

describe('a problem of Celery', () => {
  const seconds = 'must be a finite number of seconds';
  const plainly = 'Write seconds as a plain number: 30.';
  it.each<[unknown, string]>([
    [{ retry_backoff: '' }, `retry_backoff ${seconds}, got "". ${plainly}`],
    [{ retry_backoff: ' ' }, `retry_backoff ${seconds}, got " ". ${plainly}`],
    [{ retry_backoff: 'soon' }, `retry_backoff ${seconds}, got "soon". ${plainly}`],
    [{ retry_backoff_max: true }, `retry_backoff_max ${seconds}, got true. ${plainly}`],
    [
      { retry_backoff: 5, retry_backoff_max: -5 },
      'retry_backoff_max must be ≥ 0 with jitter, got -5. Use 600, the default.',
    ],
    [{ retry_kwargs: 5 }, 'retry_kwargs must be an object, got 5. Its keys are countdown, max_retries.'],
  ])('of the options %j has the value and the cure', (options, line) => {
    expect(messageOf(() => fromCelery(options as CeleryOptions))).toBe(problem(line, 'celery options'));
  });

  it('of an interval has the value and the cure', () => {
    expect(messageOf(() => celeryInterval({ factor: 1.5, maximum: 600 }))).toBe(
      problem(`factor must be a whole number of seconds, got 1.5. ${plainly}`),
    );
    expect(messageOf(() => celeryInterval({ factor: 1, maximum: -1, full_jitter: true }))).toBe(
      problem('maximum must be ≥ 0 with jitter, got -1. Use 600, the default.'),
    );
  });

  it.each([
    [{ countdown: 'x' }, 'countdown must be a finite number, got "x".'],
    [{ eta: Infinity }, 'eta must be a finite number, got Infinity.'],
  ])('of the call %j has the value and the cure', (call, line) => {
    const retry = (): unknown => celeryRetry({}, { retries: 0, ...call } as never); // what JavaScript callers write

    expect(messageOf(retry)).toBe(problem(`${line} countdown is in seconds, eta in epoch milliseconds.`));
  });

  it.each([
    [{ max_retries: 'x' }, 'max_retries must be an integer, got "x". The default is 3.'],
    [{ throw: 1 }, 'throw is not one of the choices, got 1. Use one of true, false.'],
    [{ called_directly: 1 }, 'called_directly is not one of the choices, got 1. Use one of true, false.'],
  ])('of the call %j has the value', (call, line) => {
    expect(messageOf(() => celeryRetry({}, { retries: 0, ...call } as never))).toBe(problem(line));
  });
});

describe('a problem of fromTasker', () => {
  it.each<[unknown, string]>([
    [{ max_jitter: -0.1 }, 'max_jitter must be a share from 0 to 1, got -0.1. Write 0.1 for ± 10 %.'],
    [{ retryable: 1 }, 'retryable must be true or false, got 1. Leave it out for the default.'],
    [{ backoff_base_ms: Infinity }, 'backoff_base_ms must be a finite duration ≥ 0, got Infinity. Use'],
  ])('of %j has the value and the cure', (options, line) => {
    expect(messageOf(() => fromTasker(options as TaskerOptions))).toContain(problem(line, 'tasker options'));
  });

  it('is absent for an option that is set to its default', () => {
    expect(fromTasker({ retryable: true, jitter_enabled: true, max_jitter: 0.1 }).policy).toEqual(
      fromTasker().policy,
    );
  });
});

describe('a problem of fromCmdx', () => {
  const strategies =
    'Use one of exponential, linear, fibonacci, half_random, full_random, bounded_random, decorrelated_jitter, ' +
    'mine, or pass retriers: { name: (attempt, delay, previous) => seconds }.';
  const gates =
    'For a name, pass task: { name: (error, attempt) => boolean }; an object has call(task, error, attempt). ' +
    'Attempts count from 0.';
  it.each<[unknown, string]>([
    [
      { jitter: 'nobody' },
      `jitter is neither a retrier nor a method of the task, got "nobody". ${strategies}`,
    ],
    [{ jitter: 5 }, `jitter is not a strategy, got 5. ${strategies}`],
    [{ block: 'linear' }, 'block must be a function, got "linear". Write names as jitter.'],
    [
      { if: 'nobody' },
      `if must be a function, an object with call, or a method of the task, got "nobody". ${gates}`,
    ],
    [
      { unless: 7 },
      `unless must be a function, an object with call, or a method of the task, got 7. ${gates}`,
    ],
  ])('of %j has the value and the cure', (line, message) => {
    const options = { retry_on: line, retriers: { mine: () => 1 } } as CmdxOptions;

    expect(messageOf(() => fromCmdx(options))).toBe(problem(`retry_on.${message}`, 'cmdx options'));
  });

  it('says where an option belongs that is written beside retry_on', () => {
    const options = { limit: 3, parent: { delay: 1 } } as never;

    expect(messageOf(() => fromCmdx(options))).toBe(
      `${problem('limit is not a known key, got 3. It belongs in retry_on.', 'cmdx options')}
- parent.delay is not a known key, got 1. It belongs in retry_on.`,
    );
  });

  it.each([
    [{ task: 'me' }, 'task must be an object, got "me". Use an object with the named methods.'],
    [{ retriers: 5 }, 'retriers must be an object, got 5. Use an object of strategies by name.'],
  ])('of %j has the value and the cure', (options, message) => {
    expect(messageOf(() => fromCmdx(options as never))).toBe(problem(message, 'cmdx options'));
  });
});
