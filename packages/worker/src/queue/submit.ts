import type { Broker, Submission, SubmitAnswer } from '@retry/core/broker';
import { submissionBytes } from '@retry/core/broker/kit';
import type { Fields } from '@retry/core/fields';
import { QUEUE_SYNONYMS, readOptions } from '@retry/core/fields';
import { isRefused, within } from '../broker.ts';
import type { Emitter } from '../emitter.ts';
import type { QueueEvents } from '../events.ts';
import { areSubmissionsObserved, observeSubmit } from '../session/observed-calls.ts';
import { SUBMIT_CURES } from '../task/foreign-options.ts';
import { taskOfLane } from '../task/lane.ts';
import type { AnyTask, IsNothing, TaskFor } from '../task/task.ts';
import { checkTask, isTask } from '../task/task.ts';
import { coalesce } from './coalesce.ts';
import type { Resubmit } from './operate/resubmit.ts';
import { createResubmit } from './operate/resubmit.ts';
import type { ResultWaiting } from './results/wait-for-result.ts';
import type { WaitForResultOptions, WaitLimits } from './results/wait-options.ts';
import { readWaitLimits, WAIT_DEFAULTS, WAIT_KEYS } from './results/wait-options.ts';
import type { SubmitOptions, SubmitSettings, Submitted } from './submission.ts';
import { isPrepared, prepareSubmission, readSubmission, readTransaction, SUBMIT_KEYS } from './submission.ts';
import type { ManySettings, SubmitManyOptions } from './submit-each.ts';
import { AN_EACH, prepareEach } from './submit-each.ts';
import { submitInBatches, submitInTransaction } from './submit-many.ts';

/** The arguments after the task: a payload, which may be left out where the task has none, and options. */
export type SubmitArguments<Payload, Options> =
  IsNothing<Payload> extends true
    ? [payload?: Payload, options?: Options]
    : [payload: Payload, options?: Options];

/** The methods of a queue that submit runs. */
export interface Submitting {
  /**
   * Submits a run.
   *
   * @throws {InvalidOptionsError} when the task or an option is wrong
   * @throws {PayloadError} when the payload is invalid or cannot be stored
   */
  readonly submit: <Payload, Result>(
    task: TaskFor<Payload, Result>,
    ...rest: SubmitArguments<NoInfer<Payload>, SubmitOptions>
  ) => Promise<Submitted<Result>>;
  /**
   * Submits one run per payload, with the options of all and those that `each` returns for one; an invalid payload or option refuses
   * them all. Up to 500 runs of 8 MiB in all are submitted atomically; more are divided into several calls.
   *
   * @throws {PartlySubmittedError} when a call fails after others have succeeded; it says which runs are stored
   */
  readonly submitMany: <Payload, Result>(
    task: TaskFor<Payload, Result>,
    payloads: readonly NoInfer<Payload>[],
    options?: SubmitManyOptions<NoInfer<Payload>>,
  ) => Promise<readonly Submitted<Result>[]>;
  /**
   * Submits a new run in place of another one, which stays as it is: with its payload and policy, or with others. The new run
   * names it as its `origin`.
   *
   * @returns the new run; `undefined` when there is no run with that id
   * @throws as `submit` does
   */
  readonly resubmit: Resubmit;
  /**
   * Submits a run and waits for its result, which is kept until it has been read whatever the broker's retention. That of a run which
   * was there already, by its `key` or a `unique` one, is kept as it was submitted: it may be forgotten before it is read.
   *
   * @throws as `submit` and `waitForResult` do
   */
  readonly submitAndWait: <Payload, Result>(
    task: TaskFor<Payload, Result>,
    ...rest: SubmitArguments<NoInfer<Payload>, SubmitAndWaitOptions>
  ) => Promise<Result>;
}

/** The options of `queue.submitAndWait`. */
export interface SubmitAndWaitOptions extends Omit<SubmitOptions, 'tx'>, WaitForResultOptions {
  /** How long to keep the result, should the reply be lost. @default the timeout (at most a day) plus a minute */
  readonly keepResult?: SubmitOptions['keepResult'];
}

interface Parts {
  readonly broker: Broker;
  readonly emitter: Emitter<QueueEvents>;
  readonly waiting: ResultWaiting;
}

/** The arguments of one call. */
interface Call {
  readonly task: unknown;
  readonly options: unknown;
  readonly subject: Subject;
}

type Subject = Exclude<keyof Submitting, 'resubmit'>;

const KEYS: Readonly<Record<Subject, readonly string[]>> = {
  submit: ['key', 'unique', ...SUBMIT_KEYS, 'tx'],
  submitMany: [...SUBMIT_KEYS, 'each', 'tx'],
  submitAndWait: ['key', 'unique', ...SUBMIT_KEYS, ...WAIT_KEYS],
};

/** What is said of unknown options; of `submitMany`, also of those that belong to one run, which it takes by `each`. */
const CURES: Readonly<Record<Subject, Readonly<Record<string, string>>>> = {
  submit: SUBMIT_CURES,
  submitAndWait: {
    ...SUBMIT_CURES,
    tx: 'It would wait for a run that is not committed yet: use submit, and waitForResult after the commit.',
  },
  submitMany: {
    ...SUBMIT_CURES,
    key: 'Use each: (order) => ({ key: order.id }).',
    unique: 'Use each: (order) => ({ unique: { key: order.id } }).',
  },
};

const NO_SETTINGS: SubmitSettings = Object.freeze({});

const ONE_MINUTE_MS = 60_000;
const ONE_DAY_MS = 86_400_000;

/** Creates the submitting methods over a broker. */
export function createSubmitting(parts: Parts): Submitting {
  const send = createSender(parts);
  const submitOne = createSubmitOne(parts, send);
  return {
    submit: (task, ...[payload, options]) =>
      submitOne(task, payload, () => readSettings(parts, { task, options, subject: 'submit' })),
    submitMany: async (task, payloads, options) => {
      const settings = readManySettings(parts, { task, options, subject: 'submitMany' });
      return submitMany(parts, await prepareEach(task, payloads, settings), { task, tx: settings.tx });
    },
    resubmit: createResubmit({
      broker: parts.broker,
      submit: async (submission) => {
        const task = taskOfLane(submission.lane);
        if (areSubmissionsObserved()) return sendObserved(parts, { task, submission }, send);
        return note(parts, task, submission, await send(submission));
      },
    }),
    submitAndWait: async (task, ...[payload, options]) => {
      const call = { task, options, subject: 'submitAndWait' } as const;
      const settings: SubmitSettings & WaitLimits = isPlain(call)
        ? WAIT_DEFAULTS
        : readCall(call, readWaitLimits);
      const { keepResultMs = Math.min(settings.timeoutMs, ONE_DAY_MS) + ONE_MINUTE_MS } = settings;
      const submit = () => submitOne(task, payload, () => ({ ...settings, keepResultMs }));
      return parts.waiting.waitForSubmission(submit, settings);
    },
  };
}

function readSettings({ broker }: Parts, call: Call): SubmitSettings {
  if (isPlain(call)) return NO_SETTINGS;
  return readCall(call, (fields) => readTransaction(fields, broker));
}

function readManySettings({ broker }: Parts, call: Call): ManySettings {
  if (isPlain(call)) return NO_SETTINGS;
  return readCall(call, (fields) => ({
    ...readTransaction(fields, broker),
    each: fields.optional('each', AN_EACH),
  }));
}

/** Fast path: without options there is nothing to read. */
function isPlain({ task, options }: Call): boolean {
  return options === undefined && isTask(task);
}

/** @throws {InvalidOptionsError} listing every problem with the task and the options */
function readCall<More>(
  { task, options, subject }: Call,
  readMore: (fields: Fields) => More,
): SubmitSettings & More {
  return readOptions(
    options,
    { subject, keys: KEYS[subject], synonyms: QUEUE_SYNONYMS, cures: CURES[subject] },
    (fields, report) => {
      checkTask(task, report);
      const taskName = isTask(task) ? task.name : '';
      return { ...readSubmission(fields, report, taskName), ...readMore(fields) };
    },
  );
}

type Send = (submission: Submission) => Promise<SubmitAnswer>;

/** Many callers share a call: one of them that waits for a lock would hold up the others. */
const ANSWER_LOCKED = { whenLocked: 'answer' } as const;

/** Coalesces single submissions. */
function createSender({ broker }: Parts): Send {
  const submit = (submissions: readonly Submission[]) => broker.submit(submissions, ANSWER_LOCKED);
  return coalesce<Submission, SubmitAnswer>(submit, {
    outstanding: broker.facts?.submitsInOrder === true ? 2 : 1,
    bytesOf: submissionBytes,
    isRefusal: (error) => isRefused(broker, error),
    orderBy: ({ unique }) => unique?.key,
  });
}

/**
 * Creates what submits a single run; in a transaction it is sent alone. The settings are read here, so that a call passes through one async
 * function, whatever is wrong with its options.
 */
function createSubmitOne(
  parts: Parts,
  send: Send,
): (task: AnyTask, payload: unknown, readSettings: () => SubmitSettings) => Promise<Submitted<never>> {
  const { broker } = parts;
  const answerTo = (submission: Submission, tx: unknown): Promise<SubmitAnswer | undefined> =>
    tx === undefined
      ? send(submission)
      : within(broker, tx)
          .submit([submission])
          .then(([answer]) => answer);
  return async (task, payload, readSettings) => {
    const settings = readSettings();
    const prepared = prepareSubmission(task, payload, settings);
    const submission = isPrepared(prepared) ? prepared : await prepared;
    const { tx } = settings;
    if (areSubmissionsObserved())
      return sendObserved(parts, { task, submission }, (own) => answerTo(own, tx));
    return note(parts, task, submission, await answerTo(submission, tx));
  };
}

/** A run, and the task whose it is. */
interface OfTask {
  readonly task: Pick<AnyTask, 'name' | 'version'>;
  readonly submission: Submission;
}

/** Sends a single run as the subscribers of the channel want it. */
function sendObserved(
  parts: Parts,
  { task, submission }: OfTask,
  send: (submission: Submission) => Promise<SubmitAnswer | undefined>,
): Promise<Submitted<never>> {
  return observeSubmit(task, [submission], async ([own = submission]) =>
    note(parts, task, own, await send(own)),
  );
}

function note(
  { emitter, waiting }: Parts,
  { name, version }: Pick<AnyTask, 'name' | 'version'>,
  submission: Submission,
  answer: SubmitAnswer | undefined,
): Submitted<never> {
  const { id, keyed = false } = submission;
  const { type, id: otherId } = typeof answer === 'object' ? answer : NO_OTHER;
  if (type === 'kept') return { id: otherId, isNew: false };
  // A random id is always new, even if the broker answers `exists` because the batch was sent twice.
  const isNew = answer === 'created' || !keyed;
  waiting.noteSubmitted(submission, { isNew });
  if (isNew) emitter.emit('submitted', () => ({ id, task: name, version }));
  return type === 'replaced' ? { id, isNew, replaced: otherId } : { id, isNew };
}

const NO_OTHER = { type: undefined, id: '' } as const;

function submitMany(
  parts: Parts,
  submissions: readonly Submission[],
  { task, tx }: { readonly task: AnyTask; readonly tx: unknown },
): Promise<readonly Submitted<never>[]> {
  const noteAnswer = (submission: Submission, answer: SubmitAnswer | undefined): Submitted<never> =>
    note(parts, task, submission, answer);
  const send = (own: readonly Submission[]): Promise<readonly Submitted<never>[]> =>
    tx === undefined
      ? submitInBatches(parts.broker, own, noteAnswer)
      : submitInTransaction(within(parts.broker, tx), own, noteAnswer);
  return areSubmissionsObserved() ? observeSubmit(task, submissions, send) : send(submissions);
}
