import type { Attributes, Meter, ObservableResult } from '@opentelemetry/api';
import { boundedNames } from './bounded-names.ts';
import { listenTo } from './channels.ts';
import { errorType } from './error-type.ts';
import type {
  CallMessage,
  GroupMessage,
  HandlingMessage,
  RunMessage,
  SubmittingMessage,
} from './messages.ts';
import { OUTCOMES } from './outcomes.ts';

/** How many values each attribute may have; what comes later is `_OTHER`. */
const MAX_TASKS = 100;
const MAX_CALLS = 100;
const MAX_ERROR_TYPES = 30;
const MAX_GROUPS = 100;

/** Boundaries of durations, in seconds, as the conventions for messaging have them. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** Runs may be late for hours. */
const LATENESS_SECONDS = [0.01, 0.1, 1, 10, 60, 300, 1_800, 3_600, 21_600, 86_400];

/** The names of the metrics, and what each counts or measures. */
export const METRICS = {
  sent: 'messaging.client.sent.messages',
  sending: 'messaging.client.operation.duration',
  consumed: 'messaging.client.consumed.messages',
  processing: 'messaging.process.duration',
  outcomes: 'retry.run.outcomes',
  lateness: 'retry.run.lateness',
  deadLetters: 'retry.dead_letters',
  deadLetterGroups: 'retry.dead_letter_group.size',
  callAttempts: 'retry.call.attempts',
  callRetries: 'retry.call.retries',
  callGiveUps: 'retry.call.give_ups',
  budgetLeft: 'retry.budget.left',
} as const;

/**
 * Counts and measures calls, queues and workers. No metric has an id of a run, a text of an error or an argument among its attributes,
 * and each attribute has a bounded number of values.
 *
 * @returns ends it
 */
export function measure(meter: Meter): () => void {
  const errors = boundedNames(MAX_ERROR_TYPES);
  const typeOf = (error: unknown): string => errors(errorType(error));
  const tasks = boundedNames(MAX_TASKS);
  const names: Names = { tasks, typeOf };
  const parts = [measureQueues, measureHandlers, measureLateness, measureOutcomes, measureDeadLetters];
  const stops = [...parts.map((part) => part(meter, names)), measureCalls(meter, typeOf)];
  return () => {
    for (const stop of stops) stop();
  };
}

interface Names {
  readonly tasks: (name: string) => string;
  readonly typeOf: (error: unknown) => string;
}

function messaging(task: string, operation: string): Attributes {
  return {
    'messaging.system': 'retry',
    'messaging.destination.name': task,
    'messaging.operation.name': operation,
  };
}

function measureQueues(meter: Meter, { tasks, typeOf }: Names): () => void {
  const sent = meter.createCounter(METRICS.sent, { unit: '{message}', description: 'Runs submitted' });
  const duration = meter.createHistogram(METRICS.sending, {
    unit: 's',
    description: 'How long it took to submit',
    advice: { explicitBucketBoundaries: SECONDS },
  });
  return listenTo({
    'retry:queue:submitting': (call: SubmittingMessage) => {
      const { send, ids } = call;
      const attributes = messaging(tasks(call.task), 'send');
      const note = timed((seconds, failed) => {
        const all = { ...attributes, ...errorOf(failed, typeOf) };
        sent.add(ids.length, all);
        duration.record(seconds, all);
      });
      call.send = () => note(send);
    },
  });
}

function measureHandlers(meter: Meter, { tasks, typeOf }: Names): () => void {
  const consumed = meter.createCounter(METRICS.consumed, {
    unit: '{message}',
    description: 'Handlers called',
  });
  const duration = meter.createHistogram(METRICS.processing, {
    unit: 's',
    description: 'How long handlers took',
    advice: { explicitBucketBoundaries: SECONDS },
  });
  return listenTo({
    'retry:worker:handling': (call: HandlingMessage) => {
      const { call: handler } = call;
      const attributes = messaging(tasks(call.task), 'process');
      consumed.add(1, attributes);
      const note = timed((seconds, failed) => {
        duration.record(seconds, { ...attributes, ...errorOf(failed, typeOf) });
      });
      call.call = () => note(async () => handler());
    },
  });
}

function measureLateness(meter: Meter, { tasks }: Names): () => void {
  const lateness = meter.createHistogram(METRICS.lateness, {
    unit: 's',
    description: 'How much later than due a run was started, and why',
    advice: { explicitBucketBoundaries: LATENESS_SECONDS },
  });
  return listenTo({
    'retry:worker:started': ({ task, latenessMs = 0, lateBecause = 'none' }: RunMessage) =>
      lateness.record(latenessMs / 1_000, { 'retry.task': tasks(task), 'retry.late_because': lateBecause }),
  });
}

function measureOutcomes(meter: Meter, { tasks }: Names): () => void {
  const outcomes = meter.createCounter(METRICS.outcomes, {
    unit: '{attempt}',
    description: 'Attempts, by how they ended',
  });
  const listeners = OUTCOMES.map((outcome) => [
    `retry:worker:${outcome}`,
    ({ task, reason }: RunMessage) => {
      // An attempt that stalled for good is counted as stalled.
      if (outcome === 'failed' && reason === 'stalled') return;
      // Reasons of other events are texts of users.
      const isOwn = (outcome === 'retried' || outcome === 'failed') && reason !== undefined;
      outcomes.add(1, {
        'retry.task': tasks(task),
        'retry.outcome': outcome,
        ...(isOwn && { 'retry.reason': reason }),
      });
    },
  ]);
  return listenTo(Object.fromEntries(listeners));
}

function measureDeadLetters(meter: Meter, { tasks }: Names): () => void {
  const letters = meter.createCounter(METRICS.deadLetters, {
    unit: '{run}',
    description: 'Runs that became dead letters',
  });
  const groups = meter.createGauge(METRICS.deadLetterGroups, {
    unit: '{run}',
    description: 'Dead letters of an error group when it was new or had doubled',
  });
  const groupIds = boundedNames(MAX_GROUPS);
  const count = (task: string, reason: string): void =>
    letters.add(1, { 'retry.task': tasks(task), 'retry.reason': reason });
  return listenTo({
    'retry:worker:failed': ({ task, reason = '', isDisposable }: RunMessage) => {
      if (isDisposable !== true) count(task, reason);
    },
    // One that stalled for good and has failed has the event of that, too.
    'retry:worker:stalled': ({ task, next }: RunMessage) => {
      if (next === 'stalled') count(task, 'stalled');
    },
    'retry:worker:limited': ({ task, next }: RunMessage) => {
      if (next === 'rateLimited') count(task, 'limit');
    },
    'retry:worker:deadLetterGroup': ({ task, group, count }: GroupMessage) =>
      groups.record(count, { 'retry.task': tasks(task), 'retry.error_group': groupIds(group.id) }),
  });
}

function measureCalls(meter: Meter, typeOf: Names['typeOf']): () => void {
  const names = boundedNames(MAX_CALLS);
  const attempts = meter.createCounter(METRICS.callAttempts, {
    unit: '{attempt}',
    description: 'Attempts of calls',
  });
  const retries = meter.createCounter(METRICS.callRetries, {
    unit: '{attempt}',
    description: 'Retries of calls',
  });
  const giveUps = meter.createCounter(METRICS.callGiveUps, {
    unit: '{call}',
    description: 'Calls that ended in failure, and why',
  });
  return listenTo({
    'retry:attempt': ({ name }: CallMessage) => attempts.add(1, { 'retry.name': names(name) }),
    'retry:retry': ({ name, error }: CallMessage) =>
      retries.add(1, { 'retry.name': names(name), 'error.type': typeOf(error) }),
    'retry:give-up': ({ name, reason = '' }: CallMessage) =>
      giveUps.add(1, { 'retry.name': names(name), 'retry.reason': reason }),
  });
}

/** A retry budget, as far as it is read here. */
export interface MeasuredBudget {
  readonly state: () => { readonly tokens: readonly number[] };
}

/** Measures what budgets have left, whenever metrics are collected. @returns ends it */
export function measureBudgets(meter: Meter, budgets: Readonly<Record<string, MeasuredBudget>>): () => void {
  const left = meter.createObservableGauge(METRICS.budgetLeft, {
    unit: '{token}',
    description: 'What a retry budget has left',
  });
  const observe = (result: ObservableResult): void => {
    for (const [name, budget] of Object.entries(budgets)) {
      const tokens = budget.state().tokens.reduce((sum, each) => sum + each, 0);
      result.observe(tokens, { 'retry.budget': name });
    }
  };
  left.addCallback(observe);
  return () => left.removeCallback(observe);
}

/** What a call threw. */
interface Failed {
  readonly error: unknown;
}

function errorOf(failed: Failed | undefined, typeOf: Names['typeOf']): Attributes {
  return failed === undefined ? {} : { 'error.type': typeOf(failed.error) };
}

type Note = (seconds: number, failed: Failed | undefined) => void;

/** Returns what calls a function and notes how long that took. */
function timed(note: Note): <Answer>(call: () => Promise<Answer>) => Promise<Answer> {
  return async (call) => {
    const startedAt = performance.now();
    let failed: Failed | undefined;
    try {
      return await call();
    } catch (error) {
      failed = { error };
      throw error;
    } finally {
      note((performance.now() - startedAt) / 1_000, failed);
    }
  };
}
