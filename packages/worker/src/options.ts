import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import type { Clock, Duration } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import { textProblem } from '@retry/core/broker/kit';
import type { Fields, Synonyms } from '@retry/core/fields';
import { A_FUNCTION, integerFrom, isAsync, isListOf, MAX_ITEMS, readOptions } from '@retry/core/fields';
import { BARE_BROKER, readBroker } from './broker.ts';
import { readClock } from './clock.ts';
import type { Prefetch } from './engine/plan/prefetch.ts';
import { missingOptions } from './errors.ts';
import { HEARTBEATS_PER_LEASE } from './lease/heartbeats.ts';
import { FINITE_ABOVE_0 } from './option-rules.ts';
import { readRandom } from './random.ts';
import type { Redact } from './settle/stored-error.ts';
import { BROKER_NAMES, WORKER_CURES } from './task/foreign-options.ts';
import type { AnyTask } from './task/task.ts';
import { isTask } from './task/task.ts';

/** The name of an operating system signal. */
export type SignalName = `SIG${string}`;

/** The options of `createWorker`. */
export interface WorkerOptions {
  /** Where it claims runs. It closes the broker only if a signal stopped it and the broker opened its connection itself. */
  readonly broker: Broker;
  /** The tasks whose runs it claims. */
  readonly tasks: readonly AnyTask[];
  /** Whether runs of unknown tasks wait in their lane for a worker that knows them, or are dropped. @default 'wait' */
  readonly onUnknown?: 'wait' | 'drop' | undefined;
  /** How many runs it executes at the same time, at most. @default 10 */
  readonly concurrency?: number | undefined;
  /**
   * How many runs to claim in advance, so that the next one starts without a round trip. `'auto'`: as many as will start
   * within 10 ms, at most 1 000; a number: as many as will start within 50 ms, at most that many; 0: none. A run that has
   * waited for 100 ms is given back, uncharged. @default 'auto'
   */
  readonly prefetch?: Prefetch | undefined;
  /**
   * How long the settlement of a run that has ended may wait for those of others, so that one request carries them: 0 to 100 ms. It
   * waits only while every slot is taken; until it was sent a crash loses it, and the run is executed again. 0: it never waits.
   * @default 5
   */
  readonly settleWithin?: Duration | undefined;
  /** How long a claim is valid without a heartbeat; after it, a crashed worker's runs are claimed again. @default '30s' */
  readonly lease?: Duration | undefined;
  /**
   * What renews leases while the event loop is blocked. `'thread'`: a thread with a connection of its own, where the
   * broker was opened by a `url`; otherwise as with `'loop'`: not at all. `worker.leaseRenewal` says which. @default 'thread'
   */
  readonly leaseRenewal?: 'thread' | 'loop' | undefined;
  /**
   * How long the event loop may be blocked before the thread stops renewing its leases, so that other workers claim the
   * runs of an endless loop. @default '60s'
   */
  readonly maxBlock?: Duration | undefined;
  /** How often it polls for work when nothing wakes it. @default '5s' */
  readonly pollInterval?: Duration | undefined;
  /** How often it searches for runs whose lease has expired. @default half a lease */
  readonly cleanerInterval?: Duration | undefined;
  /** Signals that stop it; a second one stops it immediately. `[]` for none. @default ['SIGTERM', 'SIGINT'] */
  readonly signals?: readonly SignalName[] | undefined;
  /**
   * How long a stopping worker lets handlers finish before it gives their runs back. A task's own `shutdownTimeout` takes
   * precedence. @default '25s'
   */
  readonly shutdownTimeout?: Duration | undefined;
  /**
   * How long a handler that was stopped (a timeout, a cancel, a missed heartbeat, a shutdown, a lost lease) may take to return. Until
   * then it counts in every limit, and its run is not settled. After it the worker abandons the handler: the event `abandoned`
   * says so, and what it still does has no effect. 0: it is abandoned immediately; `'Infinity'`: never. A task's own
   * `abandonAfter` takes precedence. @default the lease
   */
  readonly abandonAfter?: Duration | undefined;
  /**
   * Decides what of an error is stored with its run; events carry the error itself. If it throws or returns anything else,
   * nothing of the error is stored. @default its name, message, stack and codes
   */
  readonly redact?: Redact | undefined;
  /**
   * The worker's name in leases and telemetry. No other live worker may have it: two of one name overwrite what each says of itself,
   * as which lanes it works on. @default a random one
   */
  readonly name?: string | undefined;
  /** Source of randomness: returns a number in [0, 1). @default Math.random */
  readonly random?: (() => number) | undefined;
  /** @default the runtime's own clock */
  readonly clock?: Clock | undefined;
}

/** Checked options with their defaults; every duration in milliseconds. */
export interface WorkerSettings {
  readonly broker: Broker;
  /** The tasks by their lanes. */
  readonly tasks: ReadonlyMap<string, AnyTask>;
  readonly onUnknown: 'wait' | 'drop';
  readonly concurrency: number;
  readonly prefetch: Prefetch;
  readonly settleMs: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** Absent: the thread where it can. */
  readonly leaseRenewal: 'thread' | 'loop' | undefined;
  readonly maxBlockMs: number;
  readonly pollMs: number;
  readonly cleanerMs: number;
  readonly signals: readonly SignalName[];
  readonly shutdownMs: number;
  readonly abandonMs: number;
  readonly redact: Redact | undefined;
  readonly name: string;
  readonly random: () => number;
  readonly clock: Clock;
}

const KEYS: readonly (keyof WorkerOptions)[] = [
  'broker',
  'tasks',
  'onUnknown',
  'concurrency',
  'prefetch',
  'settleWithin',
  'lease',
  'leaseRenewal',
  'maxBlock',
  'pollInterval',
  'cleanerInterval',
  'signals',
  'shutdownTimeout',
  'abandonAfter',
  'redact',
  'name',
  'random',
  'clock',
];

/** Names of our keys in other libraries. */
const SYNONYMS: Synonyms = [
  [BROKER_NAMES, 'broker'],
  [
    /^(task(List|s?By\w+|Map)?|handlers?|jobs?|processors?|queues?(Names?)?|taskDirectory)$/,
    'tasks: [sendEmail, resizeImage]',
  ],
  [
    /^(max(imum)?(Concurrency|Concurrent(Runs|Jobs|Tasks)?|Workers)|maxConcurrent|parallelism|workers|poolSize|threads|localConcurrency|teamSize|defaultConcurrency)$/,
    'concurrency',
  ],
  [/^(prefetch(Count|Multiplier)|batchSize|localQueue)$/, 'prefetch'],
  [/^((complete|fail)(Job)?BatchDelay|settle(After|Delay|Interval))$/, 'settleWithin'],
  [
    /^(lockDuration|lockTimeout|visibilityTimeout|lease(Duration|Time)|lockRenewTime|defaultLockLifetime)$/,
    'lease',
  ],
  [
    /^(poll(ing)?(Interval(Seconds)?|Delay|Every)?|drainDelay|processEvery|newJobCheckInterval)$/,
    'pollInterval',
  ],
  [/^(stalledInterval|stallInterval|cleanInterval|maintenanceInterval\w*)$/, 'cleanerInterval'],
  [
    /^((graceful)?shutdown|grace(fulShutdown)?(Period|Timeout|Abort\w*)|stopTimeout|drainTimeout)$/i,
    'shutdownTimeout',
  ],
  [/^((no)?handleSignals?|shutdownSignals)$/i, "signals: ['SIGTERM'], or [] for none"],
  [/^(id|workerId|workerName)$/, 'name'],
];

/** Checks a worker's options and fills in the defaults. @throws {InvalidOptionsError} listing every problem */
export function readWorkerOptions(options: WorkerOptions): WorkerSettings {
  if (options === undefined) throw missingOptions('worker', KEYS);
  return readOptions(
    options,
    { subject: 'worker', keys: KEYS, synonyms: SYNONYMS, cures: WORKER_CURES, bare: BARE_BROKER },
    readSettings,
  );
}

function readSettings(fields: Fields): WorkerSettings {
  const leaseMs = fields.duration('lease', 30_000, FINITE_ABOVE_0);
  return {
    broker: readBroker(fields),
    tasks: readTasks(fields),
    onUnknown: fields.choice('onUnknown', 'wait', ['wait', 'drop']),
    concurrency: fields.number('concurrency', 10, A_CONCURRENCY),
    prefetch: fields.optional('prefetch', A_PREFETCH) ?? 'auto',
    settleMs: fields.duration('settleWithin', 5, A_SETTLE_WAIT),
    leaseMs,
    heartbeatMs: leaseMs / HEARTBEATS_PER_LEASE,
    ...readLeaseRenewal(fields),
    pollMs: fields.duration('pollInterval', 5_000, FINITE_ABOVE_0),
    cleanerMs: fields.duration('cleanerInterval', leaseMs / 2, FINITE_ABOVE_0),
    signals: fields.optional('signals', SIGNALS) ?? ['SIGTERM', 'SIGINT'],
    shutdownMs: fields.duration('shutdownTimeout', 25_000),
    abandonMs: fields.duration('abandonAfter', leaseMs),
    redact: readRedact(fields),
    name: readName(fields),
    random: readRandom(fields),
    clock: readClock(fields),
  };
}

function readLeaseRenewal(fields: Fields): Pick<WorkerSettings, 'leaseRenewal' | 'maxBlockMs'> {
  const chosen = fields.choice('leaseRenewal', 'thread', ['thread', 'loop']);
  const leaseRenewal = fields.value('leaseRenewal') === undefined ? undefined : chosen;
  if (leaseRenewal === 'loop' && fields.value('maxBlock') !== undefined)
    fields.fail('maxBlock', "has no meaning with leaseRenewal: 'loop'", 'Leave out one of them.');
  return { leaseRenewal, maxBlockMs: fields.duration('maxBlock', 60_000, FINITE_ABOVE_0) };
}

const A_CONCURRENCY = integerFrom(1, 'It is how many runs this worker executes at the same time.');

const A_PREFETCH = {
  accepts: (value: unknown): value is Prefetch =>
    value === 'auto' || (Number.isInteger(value) && Number(value) >= 0),
  message: "must be 'auto' or an integer ≥ 0",
  cure: 'It is how many runs this worker may claim in advance. Leave it out to have that measured.',
};

const A_SETTLE_WAIT = {
  finite: true,
  accepts: (ms: number): boolean => ms >= 0 && ms <= 100,
  message: 'must be a duration of 0 to 100 ms',
};

function readTasks(fields: Fields): ReadonlyMap<string, AnyTask> {
  const tasks = fields.value('tasks');
  const given: readonly unknown[] = Array.isArray(tasks) && tasks.length <= MAX_ITEMS ? [...tasks] : [];
  const byLane = new Map<string, AnyTask>();
  const repeated = new Set<string>();
  for (const task of given.filter(isTask)) {
    if (byLane.has(task.lane)) repeated.add(task.lane);
    byLane.set(task.lane, task);
  }
  if (byLane.size === 0 || byLane.size < given.length) {
    fields.fail(
      'tasks',
      `must be a list of 1 to ${MAX_ITEMS} tasks of defineTask, each name@version once`,
      repeated.size === 0
        ? 'Use tasks: [sendEmail, resizeImage].'
        : `Leave the second ${[...repeated].join(' and ')} out, or give it a version of its own.`,
    );
  }
  return byLane;
}

/** Reads the option `redact`. Must be synchronous: its result is stored with the settlement. */
export function readRedact(fields: Fields): Redact | undefined {
  const redact = fields.optional('redact', A_FUNCTION) as Redact | undefined; // what it returns is checked at each call
  if (isAsync(redact))
    fields.fail('redact', 'must not be async', 'Return { name, message } without awaiting.');
  return redact;
}

/**
 * How long a random name is, which has 16 characters as text: names stand in leases, in the error of each failed attempt and in the
 * tables of operators.
 */
const RANDOM_NAME_BYTES = 8;

function readName(fields: Fields): string {
  const name = fields.value('name');
  if (name === undefined) return randomBytes(RANDOM_NAME_BYTES).toString('hex');
  const problem = textProblem(name);
  if (problem !== undefined) fields.fail('name', problem, 'Leave it out for a random one.');
  return String(name);
}

/** Signals that no process can listen to. */
const RESERVED: readonly unknown[] = ['SIGKILL', 'SIGSTOP'];

function isSignal(signal: unknown): boolean {
  return typeof signal === 'string' && Object.hasOwn(constants.signals, signal) && !RESERVED.includes(signal);
}

const SIGNALS = {
  accepts: (value: unknown): value is readonly SignalName[] => isListOf(value, isSignal),
  message: 'must be a list of names of signals that a process can listen to',
  cure: "Use signals: ['SIGTERM'], or [] for none.",
};
