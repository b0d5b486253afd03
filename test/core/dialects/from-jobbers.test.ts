import { AttemptTimeoutError, delayBounds, explain } from '@retry/core';
import { fromJobbers } from '@retry/core/dialects';
import { settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';
import { codesOf, problemsOf } from './problems.ts';

describe('fromJobbers', () => {
  it("has Jobbers' defaults", () => {
    const { policy, task, warnings } = fromJobbers();

    expect(policy).toMatchObject({
      maxAttempts: 4,
      backoff: { type: 'none' },
      jitter: 'none',
      maxDelayMs: 3_600_000,
      capAt: 'after-jitter',
      attemptTimeoutMs: Infinity,
    });
    expect(task).toEqual({
      maxConcurrent: 1,
      onShutdown: 'stop',
      onStall: 'hold',
      deadLetter: 'none',
      onUnknown: 'drop',
    });
    expect(codesOf(warnings)).toEqual(['RETRIES_NOTHING expected_exceptions']);
  });

  it('retries a timeout in any case, and nothing else that is not listed', () => {
    const { policy } = fromJobbers({ expected_exceptions: null });

    expect(explain(policy, new AttemptTimeoutError(5, 1)).retries).toBe(true);
    expect(explain(policy, new DOMException('late', 'TimeoutError')).retries).toBe(true);
    expect(explain(policy, new Error('boom')).reason).toBe('unexpected');
  });

  it('expects every listed exception', () => {
    const { policy } = fromJobbers({ expected_exceptions: [TypeError, 'RangeError'] });

    expect(explain(policy, new TypeError()).retries).toBe(true);
    expect(explain(policy, new RangeError()).retries).toBe(true);
  });

  it('distinguishes no delay from a delay of 0', () => {
    expect(settingsOf(fromJobbers({ retry_delay: null }).policy).backoff.type).toBe('none');
    expect(settingsOf(fromJobbers({ retry_delay: 0 }).policy).backoff).toMatchObject({
      type: 'exponential',
      baseMs: 0,
    });
  });

  it('counts the first retry as the version does', () => {
    const options = { retry_delay: 10, expected_exceptions: [Error] };
    const main = 'main@06fcd8c';

    expect(settingsOf(fromJobbers(options).policy).backoff).toMatchObject({ baseMs: 20_000 });
    expect(settingsOf(fromJobbers({ ...options, version: main }).policy).backoff).toMatchObject({
      baseMs: 10_000,
    });
    expect(codesOf(fromJobbers(options).warnings)).toEqual(['FIRST_DELAY_DOUBLED retry_delay']);
    expect(codesOf(fromJobbers({ ...options, version: main }).warnings)).toEqual([]);
  });

  it('warns of a first delay of 0', () => {
    const options = { retry_delay: 10, expected_exceptions: [Error], backoff_strategy: 'linear' } as const;

    expect(settingsOf(fromJobbers({ ...options, version: 'main@06fcd8c' }).policy).backoff).toMatchObject({
      baseMs: 0,
      incrementMs: 10_000,
    });
    expect(codesOf(fromJobbers({ ...options, version: 'main@06fcd8c' }).warnings)).toEqual([
      'FIRST_DELAY_ZERO backoff_strategy',
    ]);
    expect(codesOf(fromJobbers(options).warnings)).toEqual([]);
  });

  it('warns of a strategy without a delay, and of a limit of 0', () => {
    const options = { expected_exceptions: [Error], backoff_strategy: 'constant', max_retries: 0 } as const;

    expect(codesOf(fromJobbers(options).warnings)).toEqual([
      'RUNS_ONCE max_retries',
      'WITHOUT_EFFECT backoff_strategy',
    ]);
  });

  it('converts task options from seconds to milliseconds, and omits unset ones', () => {
    const { policy, task } = fromJobbers({
      timeout: 30,
      max_heartbeat_interval: 300,
      max_concurrent: null,
      on_shutdown: 'resubmit',
      dead_letter_policy: 'save',
    });

    expect(settingsOf(policy).attemptTimeoutMs).toBe(30_000);
    expect(task).toEqual({
      heartbeatMs: 300_000,
      onShutdown: 'resubmit',
      onStall: 'hold',
      deadLetter: 'save',
      onUnknown: 'drop',
    });
    expect(fromJobbers({ max_heartbeat_interval: 0 }).task).not.toHaveProperty('heartbeatMs');
  });

  it.each([
    // seed 001: d, d × retry, d × 2^retry, and from 0 to that
    ['constant', [10_000, 10_000], [10_000, 10_000]],
    ['linear', [10_000, 10_000], [20_000, 20_000]],
    ['exponential', [20_000, 20_000], [40_000, 40_000]],
    ['exponential_jitter', [0, 20_000], [0, 40_000]],
  ] as const)('waits as its document says: %s', (backoff_strategy, first, second) => {
    const { policy } = fromJobbers({ version: '7b5465f', retry_delay: 10, backoff_strategy });

    expect([delayBounds(policy, 1), delayBounds(policy, 2)]).toEqual([first, second]);
  });

  it('accepts every choice, and an infinite maximum delay', () => {
    const { policy, task } = fromJobbers({
      max_retry_delay: Infinity,
      on_shutdown: 'continue',
      dead_letter_policy: 'none',
    });

    expect(settingsOf(policy).maxDelayMs).toBe(Infinity);
    expect(task).toMatchObject({ onShutdown: 'continue', deadLetter: 'none' });
    expect(fromJobbers({ on_shutdown: 'stop' }).task.onShutdown).toBe('stop');
  });

  it("accepts the seed document's own block", () => {
    const { policy, task } = fromJobbers({
      name: 'my_task',
      version: 1,
      max_retries: 3,
      retry_delay: 10,
      backoff_strategy: 'exponential_jitter',
      max_retry_delay: 300,
      expected_exceptions: ['TimeoutException', 'ConnectionError'],
    });

    expect(task).toMatchObject({ name: 'my_task', version: '1' });
    expect(policy).toMatchObject({ maxAttempts: 4, backoff: { baseMs: 20_000 }, maxDelayMs: 300_000 });
  });

  it('reads jobbers_version beside the version of the task', () => {
    const options = { retry_delay: 10, expected_exceptions: [Error], version: 2 } as const;
    const main = fromJobbers({ ...options, jobbers_version: 'main@06fcd8c' });

    expect(settingsOf(main.policy).backoff).toMatchObject({ baseMs: 10_000 });
    expect(main.task.version).toBe('2');
    expect(codesOf(main.warnings)).toEqual([]);
    expect(settingsOf(fromJobbers(options).policy).backoff).toMatchObject({ baseMs: 20_000 });
  });

  it('reads a version of Jobbers as jobbers_version, unless the two differ', () => {
    const jobbers_version = '7b5465f';

    expect(fromJobbers({ version: 'main@06fcd8c' }).task).not.toHaveProperty('version');
    expect(problemsOf(() => fromJobbers({ version: 'main@06fcd8c', jobbers_version }))).toEqual(['version']);
  });

  it('gives an attempt at least a millisecond', () => {
    const { policy, warnings } = fromJobbers({ timeout: 0, expected_exceptions: [Error] });

    expect(settingsOf(policy).attemptTimeoutMs).toBe(1);
    expect(codesOf(warnings)).toEqual(['ROUNDED timeout']);
  });

  it("lists every problem under Jobbers' names", () => {
    const options = {
      name: '',
      version: 1.5,
      jobbers_version: 'main',
      max_retries: 1.5,
      retry_delay: -1,
      backoff_strategy: 'fibonacci',
      max_retry_delay: '1h',
      expected_exceptions: [null],
      timeout: -1,
      max_concurrent: 0,
      max_heartbeat_interval: -1,
      on_shutdown: 'wait',
      dead_letter_policy: true,
      retries: 3,
    };

    expect(problemsOf(() => fromJobbers(options as never))).toEqual([
      'backoff_strategy',
      'dead_letter_policy',
      'expected_exceptions[0]',
      'jobbers_version',
      'max_concurrent',
      'max_heartbeat_interval',
      'max_retries',
      'max_retry_delay',
      'name',
      'on_shutdown',
      'retries',
      'retry_delay',
      'timeout',
      'version',
    ]);
  });
});
