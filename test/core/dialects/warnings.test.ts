import type { CeleryOptions, CmdxOptions, DialectWarning, FluidOptions } from '@retry/core/dialects';
import {
  fromCelery,
  fromCmdx,
  fromFluid,
  fromJobbers,
  fromTasker,
  type JobbersOptions,
  type TaskerOptions,
} from '@retry/core/dialects';
import { ALL_SYSTEMS, type OptionTable } from '@retry/core/dialects/all';
import { exponentialBackoff } from '@retry/core/dialects/exponential-backoff';
import { sqs } from '@retry/core/dialects/sqs';
import { stepFunctions } from '@retry/core/dialects/step-functions';
import { temporal } from '@retry/core/dialects/temporal';
import { describe, expect, it } from 'vitest';
import { codesOf } from './problems.ts';

const LEAVE_OUT = 'Leave it out.';
const LIST = 'List the expected exceptions.';
const runsOnce = (path: string, limit: number): DialectWarning => ({
  code: 'RUNS_ONCE',
  path,
  message: `${path}: ${limit} runs once and never retries`,
  cure: 'Leave the retry options out, or raise the limit.',
});

describe('the warnings of fromFluid', () => {
  it.each<[FluidOptions, DialectWarning]>([
    [{ retry: { max_attempts: -1 } }, runsOnce('retry.max_attempts', -1)],
    [
      { max_concurrency: 1, rate_limit_retry: { max_attempts: 0 } },
      runsOnce('rate_limit_retry.max_attempts', 0),
    ],
    [
      { max_concurrency: 1, rate_limit_retry: { exceptions: ['TimeoutError'] } },
      {
        code: 'UNLIMITED',
        path: 'rate_limit_retry.max_attempts',
        message: 'without max_attempts it retries for ever',
        cure: 'Set max_attempts; it counts retries.',
      },
    ],
    [
      { retry: { max_attempts: 1, exceptions: [{ name: ['OSError', 'TimeoutError'] }] } },
      {
        code: 'TIMEOUT_LISTED',
        path: 'retry.exceptions',
        message: 'fluid never retries a timeout, listed or not; here a listed one is retried',
        cure: 'Leave TimeoutError out to keep what fluid does.',
      },
    ],
    [
      { rate_limit_retry: { max_attempts: 1 } },
      {
        code: 'WITHOUT_EFFECT',
        path: 'rate_limit_retry',
        message: 'it applies only when max_concurrency is reached',
        cure: 'Set max_concurrency, or leave it out.',
      },
    ],
  ])('of %j have the path, the message and the cure', (options, warning) => {
    expect(fromFluid(options).warnings).toEqual([warning]);
  });
});

describe('the warnings of fromCelery', () => {
  const autoretry_for = [Error];
  const unused = (path: string, message: string): DialectWarning => ({
    code: 'WITHOUT_EFFECT',
    path,
    message,
    cure: LEAVE_OUT,
  });
  it.each<[CeleryOptions, readonly DialectWarning[]]>([
    [{ retry_backoff: 1, autoretry_for, max_retries: 0 }, [runsOnce('max_retries', 0)]],
    [
      { retry_backoff: 1, autoretry_for, max_retries: null, retry_kwargs: { max_retries: -1 } },
      [runsOnce('retry_kwargs.max_retries', -1)],
    ],
    [
      { retry_backoff: 1, autoretry_for, max_retries: null },
      [
        {
          code: 'UNLIMITED',
          path: 'max_retries',
          message: 'max_retries: null retries for ever',
          cure: 'Write a number of retries.',
        },
      ],
    ],
    [
      { autoretry_for },
      [
        {
          code: 'DEFAULT_DELAY',
          path: 'default_retry_delay',
          message: 'without retry_backoff every retry waits 180 s, also an automatic one',
          cure: 'Write default_retry_delay or retry_backoff.',
        },
      ],
    ],
    [
      { autoretry_for, retry_backoff: 1, retry_kwargs: { countdown: 3 } },
      [unused('retry_kwargs.countdown', 'retry_backoff overwrites it')],
    ],
    [
      { autoretry_for, default_retry_delay: 1, retry_jitter: true, retry_backoff_max: 9 },
      [
        unused('retry_jitter', 'it has no effect without retry_backoff'),
        unused('retry_backoff_max', 'it has no effect without retry_backoff'),
      ],
    ],
    [
      {},
      [
        {
          code: 'RETRIES_NOTHING',
          path: 'autoretry_for',
          message: 'it lists nothing, so only an explicit retry() retries',
          cure: LIST,
        },
      ],
    ],
    [
      { autoretry_for, retry_backoff: 1, throws: [Error] },
      [unused('throws', 'it affects the log only; autoretry_for applies nevertheless')],
    ],
    [
      // seed 003: int(max(1.0, float(retry_backoff))) and int(retry_backoff_max)
      { autoretry_for, retry_backoff: '2.7', retry_backoff_max: 0.5 },
      [
        {
          code: 'ROUNDED',
          path: 'retry_backoff',
          message: 'retry_backoff: 2.7 counts as 2 s',
          cure: 'Write whole seconds, 1 or more.',
        },
        {
          code: 'ROUNDED',
          path: 'retry_backoff_max',
          message: 'retry_backoff_max: 0.5 counts as 0 s',
          cure: 'Write whole seconds, 0 or more.',
        },
      ],
    ],
    [{ autoretry_for, retry_backoff: 2, retry_backoff_max: 9 }, []],
  ])('of %j have the path, the message and the cure', (options, warnings) => {
    expect(fromCelery(options).warnings).toEqual(warnings);
  });
});

describe('the warnings of fromJobbers', () => {
  const expected_exceptions = [Error];
  it.each<[JobbersOptions, readonly DialectWarning[]]>([
    [{ expected_exceptions, max_retries: 0 }, [runsOnce('max_retries', 0)]],
    [
      {},
      [
        {
          code: 'RETRIES_NOTHING',
          path: 'expected_exceptions',
          message: 'it lists nothing, so only timeouts are retried',
          cure: LIST,
        },
      ],
    ],
    [
      { expected_exceptions, backoff_strategy: 'linear' },
      [
        {
          code: 'WITHOUT_EFFECT',
          path: 'backoff_strategy',
          message: 'without retry_delay every retry is immediate',
          cure: 'Write retry_delay.',
        },
      ],
    ],
    [
      { expected_exceptions, max_retry_delay: 60 },
      [
        {
          code: 'WITHOUT_EFFECT',
          path: 'max_retry_delay',
          message: 'without retry_delay every retry is immediate',
          cure: 'Write retry_delay.',
        },
      ],
    ],
    [
      { expected_exceptions, retry_delay: 10, backoff_strategy: 'exponential_jitter' },
      [
        {
          code: 'FIRST_DELAY_DOUBLED',
          path: 'retry_delay',
          message: 'this version counts the first retry as 1, so it waits up to twice retry_delay',
          cure: "Halve retry_delay, or choose jobbers_version: 'main@06fcd8c'.",
        },
      ],
    ],
    [
      { expected_exceptions, retry_delay: 10, backoff_strategy: 'linear', version: 'main@06fcd8c' },
      [
        {
          code: 'FIRST_DELAY_ZERO',
          path: 'backoff_strategy',
          message: 'this version counts the first retry as 0, so it does not wait',
          cure: "Choose jobbers_version: '7b5465f'.",
        },
      ],
    ],
    [{ expected_exceptions, retry_delay: 0 }, []],
    [{ expected_exceptions, retry_delay: 0, backoff_strategy: 'linear', version: 'main@06fcd8c' }, []],
  ])('of %j have the path, the message and the cure', (options, warnings) => {
    expect(fromJobbers(options).warnings).toEqual(warnings);
  });
});

describe('the warnings of fromTasker', () => {
  const overCap: DialectWarning = {
    code: 'JITTER_OVER_CAP',
    path: 'max_delay_seconds',
    message: 'the jitter is added to the capped delay, so a delay may exceed it',
    cure: 'Set jitter_enabled: false, or lower max_delay_seconds by max_jitter.',
  };
  const unused = {
    code: 'WITHOUT_EFFECT',
    message: 'the delays of the step itself apply',
    cure: 'Leave it out, or leave backoff, backoff_base_ms and max_backoff_ms out.',
  } as const;
  it.each<[TaskerOptions, readonly DialectWarning[]]>([
    [
      { retryable: false },
      [
        {
          code: 'NOT_RETRYABLE',
          path: 'retryable',
          message: 'retryable: false leaves max_attempts: 3 unused',
          cure: 'Write max_attempts: 1, or retryable: true.',
        },
      ],
    ],
    [
      { max_backoff_ms: 999 },
      [
        {
          code: 'OUT_OF_RANGE',
          path: 'max_backoff_ms',
          message: 'a Tasker template accepts 1000 to 3600000; 999 applies here',
          cure: 'Use 1000 to 3600000 if Tasker reads it, too.',
        },
      ],
    ],
    // seed 002: 1 to 100 executions, 100 ms to an hour, a second to an hour; both ends included
    [{ max_attempts: 100, backoff_base_ms: 3_600_000, max_backoff_ms: 3_600_000 }, []],
    [{ max_attempts: 1, backoff_base_ms: 100, max_backoff_ms: 1_000 }, []],
    [{ max_delay_seconds: 60 }, [overCap]],
    [{ max_delay_seconds: 60, max_jitter: 0 }, []],
    [{ backoff: 'linear', max_delay_seconds: 60 }, [{ ...unused, path: 'max_delay_seconds' }]],
    [{ backoff_base_ms: 500, base_delay_seconds: 1 }, [{ ...unused, path: 'base_delay_seconds' }]],
    [
      { backoff: 'linear', base_delay_seconds: 5, max_delay_seconds: 60 },
      [
        { ...unused, path: 'base_delay_seconds' },
        { ...unused, path: 'max_delay_seconds' },
      ],
    ],
    [{ backoff_base_ms: 500, multiplier: 3 }, []],
    [
      { backoff: 'none', backoff_base_ms: 500, multiplier: 3 },
      [
        {
          code: 'WITHOUT_EFFECT',
          path: 'multiplier',
          message: 'it is the factor of exponential',
          cure: "Leave it out, or write backoff: 'exponential'.",
        },
        {
          code: 'WITHOUT_EFFECT',
          path: 'backoff_base_ms',
          message: 'backoff none does not wait',
          cure: "Leave it out, or write backoff: 'exponential'.",
        },
      ],
    ],
  ])('of %j have the path, the message and the cure', (options, warnings) => {
    expect(fromTasker(options).warnings).toEqual(warnings);
  });
});

describe('the warnings of fromCmdx', () => {
  const exceptions = [Error];
  const inVain = {
    code: 'WITHOUT_EFFECT',
    message: 'without a positive delay there is no wait',
    cure: 'Write a delay.',
  } as const;
  const noCall = {
    code: 'WITHOUT_EFFECT',
    message: 'the object has no call',
    cure: 'Add a method call(attempt, delay).',
  } as const;
  const ignored: DialectWarning = {
    code: 'WITHOUT_EFFECT',
    path: 'retry_on[1]',
    message: 'CMDx ignores these options, as the line lists no exception',
    cure: 'Repeat an exception on the line.',
  };
  it.each<[CmdxOptions, readonly DialectWarning[]]>([
    [
      {},
      [
        {
          code: 'RETRIES_NOTHING',
          path: 'retry_on',
          message: 'it lists no exception, so nothing is retried',
          cure: LIST,
        },
      ],
    ],
    [
      { retry_on: [{ exceptions }, { exceptions: ['ReadTimeout'] }] },
      [
        {
          code: 'ONE_POLICY',
          path: 'retry_on',
          message: 'these lines form one policy: the last limit, delay and gate apply to every exception',
          cure: 'Write one line, or one for each task.',
        },
      ],
    ],
    [{ retry_on: [{ exceptions }, { limit: 9 }] }, [ignored]],
    // An ignored line has one warning, none for its options.
    [{ retry_on: [{ exceptions }, { limit: 0, jitter: {} }] }, [ignored]],
    // In version main, the first line of a class applies without exceptions.
    [{ version: 'main@fc92e183', retry_on: { limit: 9 }, parent: { retry_on: { exceptions } } }, []],
    [
      { retry_on: { exceptions, limit: 0 } },
      [
        {
          code: 'RUNS_ONCE',
          path: 'retry_on.limit',
          message: 'a limit of 0 or less runs once and never retries',
          cure: 'Leave retry_on out, or raise the limit.',
        },
      ],
    ],
    [{ retry_on: { exceptions, delay: 0, jitter: 'linear' } }, [{ ...inVain, path: 'retry_on.jitter' }]],
    [{ retry_on: { exceptions, delay: 0, block: () => 1 } }, [{ ...inVain, path: 'retry_on.block' }]],
    [{ retry_on: { exceptions, delay: 0 } }, []],
    [{ retry_on: { exceptions, delay: 1, jitter: 'linear' } }, []],
    [{ retry_on: { exceptions, jitter: {} } }, [{ ...noCall, path: 'retry_on.jitter' }]],
    [{ retry_on: { exceptions, block: {} } }, [{ ...noCall, path: 'retry_on.block' }]],
    [
      { retry_on: { exceptions, jitter: 'linear', block: () => 1 } },
      [
        {
          code: 'WITHOUT_EFFECT',
          path: 'retry_on.block',
          message: 'jitter applies in its place',
          cure: 'Write one of them.',
        },
      ],
    ],
  ])('of %j have the path, the message and the cure', (options, warnings) => {
    expect(fromCmdx(options).warnings).toEqual(warnings);
  });

  it.each<[string, CmdxOptions, readonly string[]]>([
    [
      'a limit that a later line raises',
      {
        retry_on: [
          { exceptions, limit: 0 },
          { exceptions, limit: 3 },
        ],
      },
      [],
    ],
    [
      'a limit that a later line lowers',
      {
        retry_on: [
          { exceptions, limit: 3 },
          { exceptions, limit: 0 },
        ],
      },
      ['RUNS_ONCE retry_on[1].limit'],
    ],
    [
      'a limit of the class above',
      { parent: { retry_on: { exceptions, limit: 0 } }, retry_on: { exceptions } },
      ['RUNS_ONCE parent.retry_on.limit'],
    ],
    [
      'a strategy under the delay of an earlier line',
      {
        retry_on: [
          { exceptions, delay: 0 },
          { exceptions, jitter: 'linear' },
        ],
      },
      ['WITHOUT_EFFECT retry_on[1].jitter'],
    ],
    [
      'a strategy whose delay a later line raises',
      {
        retry_on: [
          { exceptions, delay: 0, jitter: 'linear' },
          { exceptions, delay: 1 },
        ],
      },
      [],
    ],
  ])('are about the united policy: %s', (_situation, options, warnings) => {
    expect(codesOf(fromCmdx(options).warnings)).toEqual([...warnings, 'ONE_POLICY retry_on']);
  });
});

describe('the warnings of what a system refuses itself', () => {
  it.each([
    ['sqs', sqs, { maxReceiveCount: 0 }, 'maxReceiveCount'],
    ['sqs', sqs, { maxReceiveCount: 1_001 }, 'maxReceiveCount'],
    ['temporal', temporal, { backoffCoefficient: 0.5 }, 'backoffCoefficient'],
    ['temporal', temporal, { initialInterval: '5s', maximumInterval: '1s' }, 'maximumInterval'],
    ['step-functions', stepFunctions, { IntervalSeconds: 0 }, 'IntervalSeconds'],
    ['step-functions', stepFunctions, { BackoffRate: 0.5 }, 'BackoffRate'],
  ] as const)('of %s: OUT_OF_RANGE', (_name, system, options, path) => {
    expect(codesOf(system.from(options).warnings)).toContain(`OUT_OF_RANGE ${path}`);
  });

  it.each([
    ['sqs', sqs, { maxReceiveCount: 1_000 }],
    ['temporal', temporal, { backoffCoefficient: 0, initialInterval: '5s', maximumInterval: '5s' }],
    ['step-functions', stepFunctions, { IntervalSeconds: 1, BackoffRate: 1 }],
  ] as const)('are not there for what %s takes', (_name, system, options) => {
    expect(codesOf(system.from(options).warnings)).toEqual([expect.stringContaining('BY_DOCUMENTATION')]);
  });
});

describe('the warning of exponential-backoff', () => {
  it.each([
    [{ delayFirstAttempt: true, jitter: 'full' }, ['DIFFERS delayFirstAttempt']],
    [{ delayFirstAttempt: true }, []],
    [{ jitter: 'full' }, []],
  ])('is about a first wait that is drawn: %j', (options, warnings) => {
    expect(codesOf(exponentialBackoff.from(options).warnings)).toEqual(warnings);
  });
});

/** Returns the paths of the options that a table describes as not read. */
function unreadIn(table: OptionTable, at: readonly string[] = []): readonly (readonly string[])[] {
  return Object.entries(table).flatMap(([key, { meaning, inner }]) =>
    inner === undefined ? (/; not read$/.test(meaning) ? [[...at, key]] : []) : unreadIn(inner, [...at, key]),
  );
}

describe('an option that is not read', () => {
  const unread = ALL_SYSTEMS.flatMap((system) =>
    unreadIn(system.options).map((path) => [system.name, path, system] as const),
  );

  it('is an option of many systems', () => {
    expect(unread.length).toBeGreaterThan(20);
  });

  it.each(unread)('has a warning where it is given: %s, %j', (_name, path, system) => {
    const given = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), ['CardDeclined']);
    const warningsOf = (options: object): readonly DialectWarning[] =>
      system.from(options).warnings.filter((warning) => warning.path === path.join('.'));

    expect(warningsOf(given as object)).toMatchObject([{ code: 'DIFFERS' }]); // an object, as a path has a key
    expect(warningsOf({})).toEqual([]);
  });
});
