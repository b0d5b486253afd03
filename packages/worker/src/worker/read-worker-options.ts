import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import type { Problem } from '@retry/core';
import { PolicyError } from '@retry/core';
import type { Fields } from '@retry/core/fields';
import { readFields } from '@retry/core/fields';
import { systemClock } from '../clock.ts';
import type { AnyTask } from '../task/task.ts';
import type { WorkerOptions, WorkerSettings } from './options.ts';

/** Heartbeats per lease: two may be lost before the lease is. */
const BEATS_PER_LEASE = 3;

const KEYS: readonly (keyof WorkerOptions)[] = [
  'broker',
  'tasks',
  'onUnknown',
  'concurrency',
  'prefetch',
  'lease',
  'pollInterval',
  'cleanerInterval',
  'signals',
  'shutdownTimeout',
  'name',
  'random',
  'clock',
];

/** Checks a worker's options and fills in the defaults. @throws {PolicyError} listing every problem */
export function readWorkerOptions(options: WorkerOptions): WorkerSettings {
  const problems: Problem[] = [];
  const fields = readFields(options, '', { keys: KEYS, report: (problem) => void problems.push(problem) });
  const settings = fields && readSettings(options, fields);
  if (settings === undefined || problems.length > 0) throw new PolicyError(problems);
  return settings;
}

function readSettings(options: WorkerOptions, fields: Fields): WorkerSettings {
  checkParts(options, fields);
  const leaseMs = fields.duration('lease', 30_000, LIMITED);
  return {
    broker: options.broker,
    tasks: readTasks(options.tasks, fields),
    onUnknown: fields.choice('onUnknown', 'wait', ['wait', 'drop']),
    concurrency: fields.number('concurrency', 10, {
      accepts: (count) => Number.isInteger(count) && count >= 1,
      message: 'must be an integer ≥ 1',
      cure: 'It is how many runs go on at a time in this worker.',
    }),
    prefetch: fields.number('prefetch', 0, {
      accepts: (count) => Number.isInteger(count) && count >= 0,
      message: 'must be an integer ≥ 0',
      cure: 'It is how many claimed runs this worker may hold ready.',
    }),
    leaseMs,
    heartbeatMs: leaseMs / BEATS_PER_LEASE,
    pollMs: fields.duration('pollInterval', 1_000, LIMITED),
    cleanerMs: fields.duration('cleanerInterval', leaseMs / 2, LIMITED),
    signals: options.signals ?? ['SIGTERM', 'SIGINT'],
    shutdownMs: fields.duration('shutdownTimeout', 25_000),
    name: options.name ?? randomUUID(),
    random: options.random ?? Math.random,
    clock: options.clock ?? systemClock,
  };
}

function readTasks(tasks: readonly AnyTask[], fields: Fields): ReadonlyMap<string, AnyTask> {
  const given = Array.isArray(tasks) ? tasks.filter(isTask) : [];
  const byLane = new Map(given.map((task) => [task.lane, task]));
  if (byLane.size === 0 || byLane.size < tasks.length) {
    fields.fail(
      'tasks',
      'must be a list of tasks of defineTask, each name@version once',
      'Use tasks: [sendEmail, resizeImage].',
    );
  }
  return byLane;
}

function isTask(task: Partial<AnyTask> | undefined | null): task is AnyTask {
  return typeof task?.lane === 'string' && typeof task.run === 'function';
}

/** What no number or duration is: says what is wrong with it, and that a JavaScript caller may get wrong. */
function checkParts(options: WorkerOptions, fields: Fields): void {
  const { broker, clock, signals = [], name = '', random = Math.random } = options;
  if (typeof broker?.exchange !== 'function')
    fields.fail('broker', 'must be a broker', 'Use broker: createMemoryBroker().');
  if (clock !== undefined && typeof clock?.setTimer !== 'function')
    fields.fail('clock', 'must be a clock', 'Leave it out for the real one.');
  if (!Array.isArray(signals) || signals.some((signal) => !(signal in constants.signals)))
    fields.fail('signals', 'must be a list of signal names', "Use signals: ['SIGTERM'], or [] for none.");
  if (typeof name !== 'string') fields.fail('name', 'must be text', 'Leave it out for a random one.');
  if (typeof random !== 'function')
    fields.fail('random', 'must be a function', 'Leave it out for Math.random.');
}

const LIMITED = {
  finite: true,
  accepts: (ms: number): boolean => ms > 0,
  message: 'must be a finite duration > 0',
};
