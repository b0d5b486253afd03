import { explain, preview } from '@retry/core';
import { fromCelery } from '@retry/core/dialects';
import { celeryInterval, celeryMessageEta, celeryRetry } from '@retry/core/dialects/parity';
import { settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';
import { codesOf, messageOf, problemsOf } from './problems.ts';

describe('fromCelery', () => {
  it("has Celery's defaults: three retries after 180 s, of nothing", () => {
    const { policy, task, warnings } = fromCelery();

    expect(policy).toMatchObject({
      maxAttempts: 4,
      backoff: { type: 'constant', baseMs: 180_000 },
      jitter: 'none',
      retryOn: 'nothing',
    });
    expect(task).toEqual({});
    expect(codesOf(warnings)).toEqual(['RETRIES_NOTHING autoretry_for']);
  });

  it('draws whole seconds by default with a backoff, at most 600 s', () => {
    const { policy, warnings } = fromCelery({ autoretry_for: [Error], retry_backoff: true });

    expect(policy).toMatchObject({
      backoff: { type: 'exponential', baseMs: 1_000, factor: 2 },
      jitter: 'full',
      maxDelayMs: 600_000,
      capAt: 'before-jitter',
      granularityMs: 1_000,
    });
    expect(warnings).toEqual([]);
  });

  it('previews the total time of the article: 8.5 hours, or under 40 minutes with a cap of 300 s', () => {
    const article = { autoretry_for: [Error], max_retries: 10, retry_backoff: 30, retry_jitter: false };
    const hours = (options: object): number =>
      preview(fromCelery({ ...article, ...options }).policy).total.maxMs / 3_600_000;

    expect(hours({ retry_backoff_max: 1e9 })).toBeCloseTo(8.525, 3);
    expect(hours({ retry_backoff_max: 300 }) * 60).toBeLessThan(40);
  });

  it('does not retry control-flow and excluded exceptions, even if the list is more specific', () => {
    class Ignore extends Error {}
    const { policy } = fromCelery({ autoretry_for: [Error, RangeError], dont_autoretry_for: ['RangeError'] });

    expect(explain(policy, new Ignore()).reason).toBe('stopped');
    expect(explain(policy, new RangeError()).reason).toBe('stopped');
    expect(explain(policy, new TypeError()).retries).toBe(true);
  });

  it('accepts predicates and patterns besides classes and names', () => {
    const { policy } = fromCelery({ autoretry_for: ['NetError', { status: 503 }, (error) => error === 7] });

    expect(explain(policy, 7).rule).toBe('retryOn[2]');
    expect(explain(policy, { status: 503 }).rule).toBe('retryOn[1]');
  });

  it('reads numbers that are written as text, and null for no limit', () => {
    // seed 003: "3" -> 3
    const { policy } = fromCelery({ autoretry_for: [Error], max_retries: null, retry_backoff: '3' });

    expect(policy).toMatchObject({ maxAttempts: Infinity, backoff: { baseMs: 3_000 } });
  });

  it('prefers retry_kwargs to the options of the task', () => {
    const kwargs = {
      autoretry_for: [Error],
      max_retries: null,
      retry_kwargs: { max_retries: 1, countdown: 2.5 },
    };

    expect(fromCelery(kwargs).policy).toMatchObject({ maxAttempts: 2, backoff: { baseMs: 2_500 } });
    expect(
      settingsOf(fromCelery({ max_retries: 5, retry_kwargs: { max_retries: null } }).policy).maxAttempts,
    ).toBe(6);
  });

  it('accepts a negative cap without jitter, as Celery does, and refuses it with jitter', () => {
    const options = { autoretry_for: [Error], retry_backoff: 5, retry_backoff_max: -5 };

    expect(settingsOf(fromCelery({ ...options, retry_jitter: false }).policy).maxDelayMs).toBe(0);
    expect(problemsOf(() => fromCelery(options))).toEqual(['retry_backoff_max']);
  });

  it.each([
    [{ retry_backoff: 2.7, retry_backoff_max: 12.9 }, ['ROUNDED retry_backoff', 'ROUNDED retry_backoff_max']],
    [{ retry_backoff: 0.5 }, ['ROUNDED retry_backoff']],
    [{ max_retries: 0, default_retry_delay: 1 }, ['RUNS_ONCE max_retries']],
    [{ max_retries: null, retry_backoff: 1 }, ['UNLIMITED max_retries']],
    [{}, ['DEFAULT_DELAY default_retry_delay']],
    [{ default_retry_delay: 1, retry_jitter: true }, ['WITHOUT_EFFECT retry_jitter']],
    [{ retry_backoff: 1, retry_kwargs: { countdown: 3 } }, ['WITHOUT_EFFECT retry_kwargs.countdown']],
    [{ retry_backoff: 1, throws: [Error] }, ['WITHOUT_EFFECT throws']],
  ])('warns of %j', (options, codes) => {
    expect(codesOf(fromCelery({ autoretry_for: [Error], ...options }).warnings)).toEqual(codes);
  });

  it("lists every problem under Celery's names", () => {
    const options = {
      autoretry_for: 'ValueError',
      throws: [''],
      max_retries: '3',
      retry_backoff: 'soon',
      retry_jitter: 1,
      retry_kwargs: { countdown: -1, eta: 5 },
      countdown: 5,
    };

    expect(problemsOf(() => fromCelery(options as never))).toEqual([
      'autoretry_for',
      'countdown',
      'max_retries',
      'retry_backoff',
      'retry_jitter',
      'retry_kwargs.countdown',
      'retry_kwargs.eta',
      'throws[0].name',
    ]);
  });
});

describe('celeryInterval', () => {
  it('has no jitter by default', () => {
    expect(celeryInterval({ factor: 5, maximum: 600 })).toMatchObject({
      backoff: { type: 'exponential', baseMs: 5_000, factor: 2 },
      jitter: 'none',
      maxDelayMs: 600_000,
    });
    expect(settingsOf(celeryInterval({ factor: 5, maximum: 0, full_jitter: true })).jitter).toBe('full');
    expect(celeryInterval({ factor: -1, maximum: -1, full_jitter: false })).toMatchObject({
      backoff: { baseMs: 0 },
      maxDelayMs: 0,
    });
  });

  it('refuses a number that is not an integer', () => {
    expect(problemsOf(() => celeryInterval({ factor: 1.5, maximum: Number.NaN }))).toEqual([
      'factor',
      'maximum',
    ]);
  });
});

describe('celeryRetry', () => {
  it('ends a run as SUCCESS with throw: false', () => {
    expect(celeryRetry({}, { retries: 0, throw: false })).toMatchObject({
      delayMs: 180_000,
      state: 'SUCCESS',
    });
    expect(celeryRetry({}, { retries: 0 })).toMatchObject({ type: 'retry', state: 'RETRY' });
  });

  it('replaces an eta by a countdown, although it shows the eta', () => {
    const answer = celeryRetry({}, { retries: 0, countdown: 5, eta: 1_000 });

    expect(answer).toMatchObject({ delayMs: 5_000, shown: { runAt: 1_000 } });
    expect(celeryRetry({}, { retries: 0, countdown: 0, eta: 1_000 })).toMatchObject({ runAt: 1_000 });
  });

  it('ends with the given error, else with MaxRetriesExceededError', () => {
    const options = { max_retries: 1 };

    expect(celeryRetry(options, { retries: 1 })).toEqual({ type: 'fail', error: 'MaxRetriesExceededError' });
    expect(celeryRetry(options, { retries: 1, exc: new Error() })).toEqual({ type: 'fail', error: 'exc' });
    expect(celeryRetry(options, { retries: 1, exc: null })).toMatchObject({
      error: 'MaxRetriesExceededError',
    });
    expect(celeryRetry(options, { retries: 0 }).type).toBe('retry');
    expect(celeryRetry(options, { retries: 1, max_retries: 5 }).type).toBe('retry');
  });

  it('never retries outside of a worker', () => {
    const call = { retries: 0, called_directly: true };

    expect(celeryRetry({}, call)).toEqual({ type: 'fail', error: 'Retry' });
    expect(celeryRetry({}, { ...call, exc: 1 })).toEqual({ type: 'fail', error: 'exc' });
  });

  it('has no limit if the task has none', () => {
    expect(celeryRetry({ max_retries: null }, { retries: 1e6, max_retries: null }).type).toBe('retry');
  });

  it('accepts every argument of a call', () => {
    const call = { retries: 0, throw: true, called_directly: false, max_retries: 1 };

    expect(celeryRetry({ max_retries: 0 }, call)).toMatchObject({ type: 'retry', state: 'RETRY' });
  });

  it('refuses an invalid call', () => {
    const call = { retries: -1, countdown: Number.NaN, eta: '2030', when: 1 };

    expect(problemsOf(() => celeryRetry({}, call as never))).toEqual(['countdown', 'eta', 'retries', 'when']);
    expect(problemsOf(() => celeryRetry({ default_retry_delay: -1 }, { retries: 0 }))).toEqual([
      'default_retry_delay',
    ]);
  });

  it('refuses a call without the retries so far, with which no limit would be reached', () => {
    expect(messageOf(() => celeryRetry({ max_retries: 0 }, {} as never))).toBe(
      'invalid policy\n- retries must be an integer ≥ 0, got undefined. Use 0 in the first run.',
    );
  });

  it('refuses wrong options of the task, also those that it does not read', () => {
    const options = { max_retry: 9, retry_backoff: 'soon' };

    expect(problemsOf(() => celeryRetry(options as never, { retries: 0 }))).toEqual([
      'max_retry',
      'retry_backoff',
    ]);
    expect(problemsOf(() => celeryRetry(null as never, { retries: 0 }))).toEqual(['']);
  });

  it('takes null for the default delay, as fromCelery does', () => {
    const options = { default_retry_delay: null } as never;

    expect(celeryRetry(options, { retries: 0 })).toMatchObject({ delayMs: 180_000 });
  });

  it('has a finite delay for any finite countdown', () => {
    const call = { retries: 0, countdown: Number.MAX_VALUE };

    expect(celeryRetry({}, call)).toMatchObject({ delayMs: Number.MAX_VALUE });
  });
});

describe('celeryMessageEta', () => {
  it('is immediate without countdown and eta', () => {
    expect(celeryMessageEta({}, 5)).toBeUndefined();
    expect(celeryMessageEta({ countdown: 2, eta: 9 }, 5)).toBe(2_005);
    expect(celeryMessageEta({ countdown: 0.5, eta: 9 }, 5)).toBe(505);
    expect(celeryMessageEta({ countdown: 0, eta: 9 }, 5)).toBe(9);
    expect(celeryMessageEta({ countdown: null, eta: 0 }, 5)).toBe(0);
    expect(celeryMessageEta({ countdown: 0, eta: null }, 5)).toBeUndefined();
  });
});
