import { ALL_SYSTEMS } from '@retry/core/dialects/all';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { run } from './run-in-memory.ts';

process.env['TZ'] = 'UTC';

const FIVE = '{"maxAttempts":5}';

import { EXPORTED_NAMES, SYSTEM_NAMES } from '../../packages/cli/src/policies/system-names.ts';
import { EXPORTED_SYSTEMS } from '../../packages/core/src/dialects/export-writers.ts';

describe('retry preview', () => {
  it('prints the attempts, their delays and the worst case', async () => {
    const { out, err, exitCode } = await run(['preview', FIVE]);

    expect({ err, exitCode }).toEqual({ err: '', exitCode: 0 });
    expect(out).toMatchInlineSnapshot(`
      "5 attempts; exponential from 100ms ×2, at most 20s, full jitter

      attempt  min   mean    max  after  at most  clock
            1  0ms    0ms    0ms    0ms      0ms  12:00:00.000
            2  0ms   50ms  100ms   50ms    100ms  12:00:00.050  █░░
            3  0ms  100ms  200ms  150ms    300ms  12:00:00.150  ███░░░
            4  0ms  200ms  400ms  350ms    700ms  12:00:00.350  ██████░░░░░
            5  0ms  400ms  800ms  750ms     1.5s  12:00:00.750  ███████████░░░░░░░░░░░

      Worst case: 5 attempts in 1.5s, if attempts take no time (--attempt 2s adds
      theirs); on average 750ms.
      "
    `);
  });

  it('draws the same delays for the same seed', async () => {
    const draws = async (seed: string): Promise<unknown> => {
      const { out } = await run(['preview', FIVE, '--seed', seed, '--json']);
      return JSON.parse(out).attempts.map(({ drawnMs }: { drawnMs: number }) => drawnMs);
    };

    expect(await draws('7')).toEqual(await draws('7'));
    expect(await draws('7')).not.toEqual(await draws('8'));
  });

  it('says so when a policy never ends', async () => {
    const { out } = await run(['preview', '{"maxAttempts":"Infinity"}', '--limit', '3']);

    expect(out).toContain('… more, without end');
    expect(out).toContain('Worst case: it never ends.');
  });

  it('adds the time of attempts, and says where totalTimeout ends it', async () => {
    const policy = '{"maxAttempts":9,"totalTimeout":"5s"}';

    const { out } = await run(['preview', policy, '--attempt', '2s']);

    expect(out).toContain('in 5s, where totalTimeout ends it, if each attempt takes');
  });

  it('reads standard input, and ignores $schema', async () => {
    const { out, exitCode } = await run(['preview', '-'], { stdin: '{"$schema":"x","maxAttempts":2}' });

    expect(exitCode).toBe(0);
    expect(out).toContain('2 attempts');
  });

  it('lists every problem of a wrong policy, with exit status 2', async () => {
    const { out, err, exitCode } = await run(['preview', '{"maxAttempts":0,"maxDelay":"soon"}']);

    expect({ out, exitCode }).toEqual({ out: '', exitCode: 2 });
    expect(err).toContain('maxAttempts must be');
    expect(err).toContain('maxDelay must be');
  });

  it('prints the date of attempts that are days apart', async () => {
    const policy =
      '{"maxAttempts":3,"backoff":{"type":"constant","base":"1d"},"jitter":"none","maxDelay":"1d"}';

    const { out } = await run(['preview', policy]);

    expect(out).toContain('2026-01-03 12:00');
  });
});

describe('retry explain', () => {
  const policy = '{"retryOn":[{"code":"ECONNRESET"},{"status":[429,503]}],"totalTimeout":"1m"}';

  it('names the rule, and the range of the next delay', async () => {
    const { out } = await run(['explain', policy, '--error', '{"status":503}', '--attempt', '2']);

    expect(out).toMatchInlineSnapshot(`
      "error    {"status":503}
      attempt  2 of 3
      next     attempt 3 after 0ms to 200ms
      rule     retryOn[1]
      why      retryOn[1] expects it.
      "
    `);
  });

  it('follows the delay that the server asks for', async () => {
    const error = '{"status":503,"headers":{"retry-after":"30"}}';

    const { out } = await run(['explain', policy, '--error', error, '--json']);

    expect(JSON.parse(out)).toMatchObject({
      retries: true,
      delay: { minMs: 30_000, maxMs: 33_000 },
      serverDelayMs: 30_000,
    });
  });

  it.each([
    [['--error', '{"status":404}'], { reason: 'unexpected', rule: 'retryOn' }],
    [['--error', '{"status":503}', '--attempt', '3'], { reason: 'exhausted', rule: 'maxAttempts' }],
    [['--error', '{"status":503}', '--elapsed', '2m'], { reason: 'total-timeout', rule: 'totalTimeout' }],
    [
      ['--error', '{"status":503,"headers":{"retry-after":"3600"}}'],
      { reason: 'retry-after', rule: 'retryAfter' },
    ],
  ])('names the rule that ends it: %j', async (options, expected) => {
    const { out } = await run(['explain', policy, ...options, '--json']);

    expect(JSON.parse(out)).toMatchObject({ retries: false, ...expected });
  });

  it('refuses an error that is nested too deeply to be printed', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;

    const { err, exitCode } = await run(['explain', policy, '--error', deep, '--json']);

    expect([exitCode, JSON.parse(err)]).toMatchObject([2, { error: { code: 'WRONG_USAGE' } }]);
  });

  it('refuses an error that is no JSON', async () => {
    const { err, exitCode } = await run(['explain', policy, '--error', 'TypeError']);

    expect(exitCode).toBe(2);
    expect(err).toContain('--error must be JSON, got "TypeError"');
  });
});

const FOREVER = { maxAttempts: 'Infinity' };

/** The longest delay is behind the 1500th retry. */
const LONG = Array.from({ length: 1_600 }, (_, index) => (index === 1_500 ? '99s' : '1ms'));

function wait(type: string, base: string | number) {
  return { backoff: { type, base }, jitter: 'none' };
}

describe('retry diff', () => {
  it('compares figures and options, with exit status 1', async () => {
    const { out, exitCode } = await run([
      'diff',
      '{}',
      '{"maxAttempts":5,"backoff":{"type":"constant","base":"2m"}}',
    ]);

    expect(exitCode).toBe(1);
    expect(out).toMatchInlineSnapshot(`
      "figure                     before  after
      attempts                        3      5
      first retry, mean wait       50ms     1m
      longest wait                200ms     2m
      all waits, mean             150ms     4m
      all waits, worst case       300ms     8m
      load if it is down             ×3     ×5
      load if half fails          ×1.75  ×1.94
      load if a tenth fails       ×1.11  ×1.11
      calls in its first minute       3      1

      Options that differ:
        maxAttempts  3 → 5
        backoff.type  "exponential" → "constant"
        backoff.baseMs  100 → 120000
        backoff.factor  2 → null
        maxDelayMs  20000 → 120000
      "
    `);
  });

  it('finds policies equal that say the same in different words', async () => {
    const { out, exitCode } = await run(['diff', '{"maxDelay":"20s"}', '{"maxAttempts":3}']);

    expect({ out, exitCode }).toEqual({ out: 'The policies are equal.\n', exitCode: 0 });
  });

  it('compares policies without an end', async () => {
    const { out } = await run(['diff', '{"maxAttempts":"Infinity"}', '{}', '--json']);

    expect(JSON.parse(out).before).toMatchObject({ maxAttempts: 'Infinity', loadIfHalfFails: 2 });
  });

  it.each([
    ['a constant wait without an end', { ...FOREVER, ...wait('constant', '10ms') }, 6_000, 10],
    ['a short wait without an end', { ...FOREVER, ...wait('constant', '1ms') }, 60_000, 1],
    ['a wait below the millisecond', { ...FOREVER, ...wait('constant', '0.5ms') }, 120_000, 0.5],
    ['no wait and no end', { ...FOREVER, ...wait('constant', 0) }, 'Infinity', 0],
    ['no wait, and an end', { maxAttempts: 5_000, ...wait('constant', 0) }, 5_000, 0],
    [
      'a wait that grows after the thousandth retry',
      { maxAttempts: 2_000, ...wait('linear', '1ms') },
      346,
      1_999,
    ],
    [
      'one that grows for longer still',
      { maxAttempts: 20_001, maxDelay: '1d', ...wait('linear', '1ms') },
      346,
      20_000,
    ],
    ['one that grows up to its cap', { ...FOREVER, ...wait('linear', '1ms') }, 346, 20_000],
    [
      'one that grows without a cap',
      { ...FOREVER, maxDelay: 'Infinity', ...wait('linear', '1ms') },
      346,
      'Infinity',
    ],
    [
      'a total timeout before a minute',
      { ...FOREVER, totalTimeout: '10s', ...wait('constant', '1ms') },
      10_000,
      1,
    ],
    [
      'a list longer than a thousand',
      { maxAttempts: 2_000, backoff: { type: 'list', delays: LONG }, jitter: 'none' },
      1_501,
      99_000,
    ],
    ['no retry', { maxAttempts: 1 }, 1, 0],
  ])('counts %s as it is, however many retries there are', async (_name, policy, calls, longest) => {
    const { out } = await run(['diff', JSON.stringify(policy), '{}', '--json']);

    expect(JSON.parse(out).before).toMatchObject({ callsInFirstMinute: calls, longestDelayMs: longest });
  });
});

describe('retry from', () => {
  it.each([
    ['celery', '{"max_retries":4,"retry_backoff":true,"autoretry_for":["TimeoutError"]}', 5],
    ['jobbers', '{"max_retries":2}', 3],
    ['fluid', '{"retry":{"max_attempts":7}}', 8],
  ])("prints %s's options as a policy that parses", async (system, options, attempts) => {
    const { out, exitCode } = await run(['from', system, options]);
    const again = await run(['preview', '-', '--json'], { stdin: out });

    expect({ exitCode, err: again.err }).toEqual({ exitCode: 0, err: '' });
    expect(JSON.parse(again.out).maxAttempts).toBe(attempts);
  });

  it('prints warnings on standard error, where they do not disturb', async () => {
    const { out, err } = await run(['from', 'celery', '{"max_retries":0}']);

    expect(err).toContain('RUNS_ONCE max_retries');
    expect(() => JSON.parse(out)).not.toThrow();
  });

  it.each([
    ['resubmit', 'onShutdown: "release"'],
    ['stop', 'onShutdown: "stall"'],
    ['continue', 'onShutdown: "finish", shutdownTimeout: "Infinity"'],
  ])('prints the options of a task in the words of defineTask: on_shutdown %s', async (word, printed) => {
    const options = { max_retries: 2, max_heartbeat_interval: 5_000, on_shutdown: word };

    const { err } = await run(['from', 'jobbers', JSON.stringify(options)], { columns: 400 });

    expect(err).toContain(printed);
    expect(err).toMatch(/^options of the task: .*heartbeat: 5000/m);
  });

  it.each([
    ['jobbers', { max_retries: 2, max_heartbeat_interval: 5_000, on_shutdown: 'continue' }],
    ['fluid', { max_concurrency: 2, retry: { max_attempts: 7 }, rate_limit_retry: { max_attempts: 2 } }],
  ])('prints options of a task as JSON that defineTask accepts: %s', async (system, options) => {
    const { out } = await run(['from', system, JSON.stringify(options), '--json']);
    const { policy, task } = JSON.parse(out);
    const define = () => defineTask({ name: 'moved', ...task, retry: policy, run: () => null });

    expect(define).not.toThrow();
    expect(task).not.toHaveProperty('retry');
  });

  it('refuses options that the system does not have', async () => {
    const { err, exitCode } = await run(['from', 'celery', '{"max_retrys":1}']);

    expect(exitCode).toBe(2);
    expect(err).toContain('max_retrys');
  });

  it('lists the systems that have a dialect', () => {
    expect(SYSTEM_NAMES).toEqual(ALL_SYSTEMS.map(({ name }) => name));
  });

  it('explains options of another system', async () => {
    const options = '{"max_retries":3,"autoretry_for":["TimeoutError"]}';
    const rules = ['TimeoutError', 'RangeError'].map(async (name) => {
      const error = JSON.stringify({ name });
      const { out } = await run(['explain', '--from', 'celery', options, '--error', error, '--json']);
      return JSON.parse(out);
    });

    expect(await Promise.all(rules)).toMatchObject([
      { retries: true, rule: 'retryOn[0]' },
      { retries: false, rule: 'retryOn' },
    ]);
  });

  it.each([
    ['bullmq', '{"attempts":3,"backoff":{"type":"exponential","delay":1000}}', [0, 1_000, 2_000]],
    ['sidekiq', '{"retry":2}', [0, 19_500, 25_500]],
  ])('previews options of %s', async (system, options, means) => {
    const { out } = await run(['preview', '--from', system, options, '--json']);

    const { attempts } = JSON.parse(out) as {
      readonly attempts: readonly { readonly delay: { readonly meanMs: number } }[];
    };
    expect(attempts.map(({ delay }) => delay.meanMs)).toEqual(means);
  });

  it.each([
    [['--from', 'got', '{}', '--from', 'ky', '{}'], 3, 3],
    [['--from=bullmq', '{"attempts":7}', '{"maxAttempts":2}'], 7, 2],
    [['{"maxAttempts":2}', '--json', '--from', 'bullmq', '{"attempts":7}'], 2, 7],
    [['--from', 'got', '--', '{}', '{"maxAttempts":2}'], 3, 2],
  ])('reads each argument as options of the system before it: %j', async (args, before, after) => {
    const { out, exitCode } = await run(['diff', '--json', ...args]);

    expect(exitCode).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ before: { maxAttempts: before }, after: { maxAttempts: after } });
  });

  it('refuses a system that no argument follows', async () => {
    const { err, exitCode } = await run(['diff', '{}', '{}', '--from', 'got']);

    expect(exitCode).toBe(2);
    expect(err).toContain('no argument follows --from got');
  });

  it('prints a policy as options of another system, and what they do not say', async () => {
    const policy =
      '{"maxAttempts":5,"jitter":"none","backoff":{"type":"linear","base":"1s"},"retryAfter":{"mode":"ignore"}}';
    const { out, err, exitCode } = await run(['to', 'bullmq', policy]);

    expect(JSON.parse(out)).toEqual({
      attempts: 5,
      backoff: { type: 'exponential', delay: 1_000, jitter: 0 },
    });
    expect(err).toBe('LOST backoff: retry 3 waits 4s there, 3s here. Instead: 4s.\n');
    expect(exitCode).toBe(1);
  });

  it('moves options of one system to another', async () => {
    const { out, exitCode } = await run([
      'to',
      'p-retry',
      '--from',
      'bullmq',
      '{"attempts":4,"backoff":500}',
    ]);

    expect(JSON.parse(out)).toMatchObject({ retries: 3, minTimeout: 500, factor: 1 });
    expect(exitCode).toBe(0);
  });

  it('knows every system that a policy is exported to', () => {
    expect(EXPORTED_NAMES).toEqual(Object.keys(EXPORTED_SYSTEMS));
  });

  it.each([
    [['from', 'nobody', '{}'], 'retry from --help lists the systems.'],
    [['from', 'sidekik', '{}'], 'Did you mean sidekiq?'],
    [['from', 'kubernetes', '{}'], 'Did you mean kubernetes-job?'],
    [['preview', '--from', 'BullMQ', '{}'], 'Did you mean bullmq?'],
    [['diff', '{}', '--from', 'celry', '{}'], 'Did you mean celery?'],
    [['to', 'sidekiq', '{}'], 'retry to --help lists the systems.'],
    [['to', 'tenacy', '{}'], 'Did you mean tenacity?'],
  ])('says which system may be meant: %j', async (args, cure) => {
    const { err, exitCode } = await run(args);

    expect(exitCode).toBe(2);
    expect(err).toContain(cure);
    expect(err.length).toBeLessThan(200);
  });

  it.each([
    ['grpc', 'grpc-js'],
    ['laravel', 'laravel-queue'],
    ['nats', 'nats-jetstream'],
  ])('takes the same names in both directions: %s, %s', async (short, full) => {
    const there = await Promise.all([short, full].map((name) => run(['to', name, '{}'])));
    const options = there[0]?.out ?? '';
    const back = await Promise.all([short, full].map((name) => run(['from', name, options])));
    const read = await Promise.all([short, full].map((name) => run(['diff', '--from', name, options, '{}'])));

    for (const same of [there, back, read]) expect(same[0]).toEqual(same[1]);
    expect(back.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(read.map(({ exitCode }) => exitCode)).toEqual([1, 1]);
  });
});
