import { describe } from 'vitest';
import { celery } from './celery.ts';
import { cmdx } from './cmdx.ts';
import { jobbers } from './jobbers.ts';
import { planCases } from './plan.ts';
import type { SystemRunners } from './runner.ts';
import { tasker } from './tasker.ts';
import { testCase } from './test-case.ts';
import { parseVectors } from './vectors.ts';

/** Ten to the power of 400, and 2 to that of 1030: whole numbers in Python that no double is as long as. */
const LONG = `1${'0'.repeat(400)}`;
const POWER = String(2n ** 1030n);

const RECORD = {
  errors: 1,
  in_queue: false,
  in_scheduler: false,
  run_at: null,
  in_dlq: false,
  heartbeat_tracked: false,
  active_index: false,
};
const listed = { expected_exceptions: ['ValueError'] };
const waiting = { ...RECORD, status: 'submitted', in_queue: true, active_index: true };
const scheduled = { ...RECORD, status: 'scheduled', in_scheduler: true, active_index: true };

const retriedTwice = {
  ...RECORD,
  status: 'completed',
  retry_attempt: 2,
  errors: 2,
  timestamps: { submitted_at: 30, started_at: 10, retried_at: 30, completed_at: 30 },
};
const failedAtOnce = {
  ...RECORD,
  status: 'failed',
  retry_attempt: 0,
  timestamps: { submitted_at: 0, started_at: 10, completed_at: 10 },
};

// SEEDS 1, 2 and 4: the answers in the document of each system.
testCases('celery', celery, [
  {
    kind: 'formula',
    config: { factor: 1, maximum: LONG, full_jitter: false },
    attempt: 1030,
    attempt_base: 0,
    delay: POWER,
  },
]);

testCases('cmdx', cmdx, [
  {
    kind: 'delay',
    version: 'v2.0.1',
    config: { delay: 2, jitter: 'exponential' },
    attempt: 1030,
    attempt_base: 0,
    delay: 'Infinity',
    slept: true,
  },
  {
    kind: 'inheritance',
    version: 'both',
    config: { class: 'retry_on Net::ReadTimeout, limit: 2' },
    effective: {
      exceptions: ['Net::ReadTimeout'],
      limit: 2,
      delay: 0.5,
      max_delay: null,
      jitter: null,
      if: false,
      unless: false,
    },
  },
]);

testCases('tasker', tasker, [
  {
    kind: 'delay',
    config: { base_delay_seconds: 45, max_delay_seconds: 59, multiplier: 2, max_jitter: 1 },
    attempts: 7,
    u: 0.2,
    sign: '+',
    delay_seconds: 71,
  },
]);

testCases('jobbers', jobbers, [
  lifecycle({ ...listed, max_retries: -3 }, 'raises a listed exception', failedAtOnce),
  lifecycle({ timeout: 0, max_retries: 0 }, 'times out', failedAtOnce),
  lifecycle({ timeout: 0 }, 'times out', {
    ...waiting,
    retry_attempt: 1,
    timestamps: { submitted_at: 10, started_at: 10 },
  }),
  lifecycle({ timeout: 0, retry_delay: 30 }, 'times out', {
    ...scheduled,
    retry_attempt: 1,
    run_at: 40,
    timestamps: { submitted_at: 0, started_at: 10 },
  }),
  lifecycle({ timeout: 0, retry_delay: 0 }, 'times out', {
    ...scheduled,
    retry_attempt: 1,
    run_at: 10,
    timestamps: { submitted_at: 0, started_at: 10 },
  }),
  lifecycle(
    { ...listed, retry_delay: 10, backoff_strategy: 'constant' },
    'raises a listed exception twice, then succeeds',
    retriedTwice,
  ),
  transition('submitted', 'started', 'a worker picks it up'),
  transition('started', 'failed', 'the exception is not listed'),
  transition('started', 'stalled', 'shutdown, the policy is stop'),
  transition('started', 'scheduled', 'listed exception, retries left, retry_delay is set'),
  transition('started', 'scheduled', 'expected exception with retry_delay'),
  transition('started', 'submitted', 'immediate retry'),
  transition('started', 'completed', 'function returned without an exception'),
  transition('started', 'failed', 'max retries reached'),
  transition('scheduled', 'submitted', 'scheduler dispatches'),
  transition('failed', 'submitted', 'bulk resubmission'),
  transition('submitted', 'dropped', 'no such task'),
]);

function lifecycle(config: object, scenario: string, result: object): object {
  return { kind: 'lifecycle', version: 'main@06fcd8c', config, scenario, result };
}

function transition(from: string, to: string, trigger: string): object {
  return { kind: 'diagram_transition', version: 'seed document', from, to, trigger };
}

function testCases(system: string, runners: SystemRunners, given: readonly object[]): void {
  const cases = given.map((fields, index) => ({ id: `unseen-${index + 1}`, ...fields }));
  const file = parseVectors(JSON.stringify({ system, cases }));
  describe(`${system}, in cases that are in no file`, () => {
    for (const planned of planCases(file, [runners])) testCase(planned);
  });
}
