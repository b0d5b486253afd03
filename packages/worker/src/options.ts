import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import { textProblem } from '@retry/core/broker';
import type { Fields } from '@retry/core/fields';
import { A_FUNCTION, isAsync, readOptions } from '@retry/core/fields';
import { BARE_BROKER, readBroker } from './broker.ts';
import { A_CLOCK, systemClock } from './clock.ts';
import { notAnObject } from './not-an-object.ts';
import type { Redact } from './settle/stored-error.ts';
import { isTask } from './task/is-task.ts';
import type { AnyTask } from './task/task.ts';
import type { SignalName, WorkerOptions, WorkerSettings } from './worker-options.ts';

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
  'redact',
  'name',
  'random',
  'clock',
];

/** Checks a worker's options and fills in the defaults. @throws {InvalidOptionsError} listing every problem */
export function readWorkerOptions(options: WorkerOptions): WorkerSettings {
  if (options === undefined) throw notAnObject('worker', KEYS);
  return readOptions(options, { subject: 'worker', keys: KEYS, bare: BARE_BROKER }, readSettings);
}

function readSettings(fields: Fields): WorkerSettings {
  const leaseMs = fields.duration('lease', 30_000, LIMITED);
  return {
    broker: readBroker(fields),
    tasks: readTasks(fields),
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
    signals: fields.optional('signals', SIGNALS) ?? ['SIGTERM', 'SIGINT'],
    shutdownMs: fields.duration('shutdownTimeout', 25_000),
    redact: readRedact(fields),
    name: readName(fields),
    random: readRandom(fields),
    clock: fields.optional('clock', A_CLOCK) ?? systemClock,
  };
}

function readTasks(fields: Fields): ReadonlyMap<string, AnyTask> {
  const tasks = fields.value('tasks');
  const given: readonly unknown[] = Array.isArray(tasks) ? [...tasks] : [];
  const byLane = new Map(given.filter(isTask).map((task) => [task.lane, task]));
  if (byLane.size === 0 || byLane.size < given.length) {
    fields.fail(
      'tasks',
      'must be a list of tasks of defineTask, each name@version once',
      'Use tasks: [sendEmail, resizeImage].',
    );
  }
  return byLane;
}

/** What is stored has to be known when the attempt ends. */
function readRedact(fields: Fields): Redact | undefined {
  const redact = fields.optional('redact', A_FUNCTION) as Redact | undefined; // what it gives is looked at each time
  refuseAsync(fields, 'redact', 'Give { name, message } immediately.');
  return redact;
}

function readName(fields: Fields): string {
  const name = fields.value('name');
  if (name === undefined) return randomUUID();
  const problem = textProblem(name);
  if (problem !== undefined) fields.fail('name', problem, 'Leave it out for a random one.');
  return String(name);
}

function readRandom(fields: Fields): () => number {
  const random = fields.optional('random', A_FUNCTION) as (() => number) | undefined; // core takes any answer
  refuseAsync(fields, 'random', 'Give a number in [0, 1) immediately.');
  return random ?? Math.random;
}

/** Reports a function that is seen to answer by a promise. */
function refuseAsync(fields: Fields, key: string, cure: string): void {
  if (isAsync(fields.value(key))) fields.fail(key, 'must not be async', cure);
}

/** The system keeps these to itself. */
const RESERVED: readonly unknown[] = ['SIGKILL', 'SIGSTOP'];

function isSignal(signal: unknown): boolean {
  return typeof signal === 'string' && Object.hasOwn(constants.signals, signal) && !RESERVED.includes(signal);
}

const SIGNALS = {
  accepts: (value: unknown): value is readonly SignalName[] => Array.isArray(value) && value.every(isSignal),
  message: 'must be a list of names of signals that a process can listen to',
  cure: "Use signals: ['SIGTERM'], or [] for none.",
};

const LIMITED = {
  finite: true,
  accepts: (ms: number): boolean => ms > 0,
  message: 'must be a finite duration > 0',
};
