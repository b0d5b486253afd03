import { InvalidOptionsError } from '@retry/core';
import type { Broker, Submission, SubmitAnswer } from '@retry/core/broker';
import type { Fields } from '@retry/core/fields';
import { QUEUE_SYNONYMS, readOptions } from '@retry/core/fields';
import type { Emitter } from '../emitter.ts';
import type { AnyTask, TaskFor } from '../task/task.ts';
import { within } from '../within.ts';
import { coalesce } from './coalesce.ts';
import { checkTask, isTask } from './is-task.ts';
import { prepareSubmission, submissionBytes } from './prepare-submission.ts';
import type { QueueEvents } from './queue-events.ts';
import type { ResultWaiting } from './result-waiting.ts';
import { batchError, submitInBatches } from './submit-many.ts';
import type { SubmitOptions, SubmitSettings, Submitted } from './submit-options.ts';
import { readSubmission, readTransaction, SUBMIT_KEYS } from './submit-options.ts';
import type { WaitForResultOptions, WaitLimits } from './wait-for-result.ts';
import { readWaitLimits, WAIT_DEFAULTS, WAIT_KEYS } from './wait-for-result.ts';

/** The verbs by which runs come into a queue. */
export interface Submitting {
  /**
   * Submits a run.
   *
   * @throws {InvalidOptionsError} when the task or an option is wrong
   * @throws {PayloadError} when the payload must not be kept
   */
  readonly submit: <Payload, Result>(
    task: TaskFor<Payload, Result>,
    payload: NoInfer<Payload>,
    options?: SubmitOptions,
  ) => Promise<Submitted<Result>>;
  /**
   * Submits a run of each payload; one bad payload refuses them all. Up to 500 runs of 8 MiB together are kept or not as
   * one; more travel in several calls.
   *
   * @throws {PartlySubmittedError} when a call fails after runs were kept: it says which
   */
  readonly submitMany: <Payload, Result>(
    task: TaskFor<Payload, Result>,
    payloads: readonly NoInfer<Payload>[],
    options?: Omit<SubmitOptions, 'key'>,
  ) => Promise<readonly Submitted<Result>[]>;
  /**
   * Submits a run and waits for its result, which is kept until it has been read, whatever the broker's retention.
   *
   * @throws as `submit` and `waitForResult` do
   */
  readonly submitAndWait: <Payload, Result>(
    task: TaskFor<Payload, Result>,
    payload: NoInfer<Payload>,
    options?: SubmitAndWaitOptions,
  ) => Promise<Result>;
}

/** What belongs to a submission that is waited for. */
export interface SubmitAndWaitOptions extends Omit<SubmitOptions, 'tx'>, WaitForResultOptions {
  /** @default the timeout (at most a day) and a minute */
  readonly keepResult?: SubmitOptions['keepResult'];
}

interface Parts {
  readonly broker: Broker;
  readonly emitter: Emitter<QueueEvents>;
  readonly waiting: ResultWaiting;
}

/** One call of a verb, as it was made. */
interface Call {
  readonly task: unknown;
  readonly options: unknown;
  readonly subject: keyof Submitting;
}

const KEYS: Readonly<Record<keyof Submitting, readonly string[]>> = {
  submit: ['key', ...SUBMIT_KEYS, 'tx'],
  submitMany: [...SUBMIT_KEYS, 'tx'],
  submitAndWait: ['key', ...SUBMIT_KEYS, ...WAIT_KEYS],
};

const NO_SETTINGS: SubmitSettings = Object.freeze({});

const ONE_MINUTE_MS = 60_000;
const ONE_DAY_MS = 86_400_000;

/** The submitting verbs over a broker. */
export function createSubmitting(parts: Parts): Submitting {
  const submitOne = createSubmitOne(parts);
  return {
    submit: async (task, payload, options) =>
      submitOne(task, payload, readSettings(parts, { task, options, subject: 'submit' })),
    submitMany: async (task, payloads, options) => {
      const settings = readSettings(parts, { task, options, subject: 'submitMany' });
      return submitMany(parts, await prepareAll(task, payloads, settings), { task, tx: settings.tx });
    },
    submitAndWait: async (task, payload, options) => {
      const call = { task, options, subject: 'submitAndWait' } as const;
      const settings: SubmitSettings & WaitLimits = isPlain(call)
        ? WAIT_DEFAULTS
        : readCall(call, readWaitLimits);
      const { keepResultMs = Math.min(settings.timeoutMs, ONE_DAY_MS) + ONE_MINUTE_MS } = settings;
      const submit = () => submitOne(task, payload, { ...settings, keepResultMs });
      return parts.waiting.waitForSubmission(submit, settings);
    },
  };
}

function readSettings({ broker }: Parts, call: Call): SubmitSettings {
  if (isPlain(call)) return NO_SETTINGS;
  return readCall(call, (fields) => readTransaction(fields, broker));
}

/** Without options there is nothing to read: thousands a second are submitted so. */
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
    { subject, keys: KEYS[subject], synonyms: QUEUE_SYNONYMS },
    (fields, report) => {
      checkTask(task, report);
      const taskName = isTask(task) ? task.name : '';
      return { ...readSubmission(fields, report, taskName), ...readMore(fields) };
    },
  );
}

/** Single submissions travel together, those in a transaction by themselves. */
function createSubmitOne(
  parts: Parts,
): (task: AnyTask, payload: unknown, settings: SubmitSettings) => Promise<Submitted<never>> {
  const { broker } = parts;
  const send = coalesce<Submission, SubmitAnswer>((submissions) => broker.submit(submissions), {
    outstanding: broker.submitsInOrder === true ? 2 : 1,
    bytesOf: submissionBytes,
    isRefusal: (error) => broker.isRefusal(error),
  });
  return async (task, payload, settings) => {
    const submission = await prepareSubmission(task, payload, settings);
    const { tx } = settings;
    const answer =
      tx === undefined ? await send(submission) : (await within(broker, tx).submit([submission]))[0];
    return note(parts, task, submission, answer);
  };
}

function note(
  { emitter, waiting }: Parts,
  { name, version }: AnyTask,
  submission: Submission,
  answer: SubmitAnswer | undefined,
): Submitted<never> {
  const { id, keyed = false } = submission;
  // An id of our own is new, even if a batch had to be sent again after the broker had kept it.
  const isNew = answer === 'created' || !keyed;
  waiting.noteSubmitted(submission, { isNew });
  if (isNew) emitter.emit('submitted', () => ({ id, task: name, version }));
  return { id, isNew };
}

function prepareAll(
  task: AnyTask,
  payloads: unknown,
  settings: SubmitSettings,
): Promise<readonly Submission[]> {
  // A hole is a payload that is undefined.
  if (Array.isArray(payloads))
    return Promise.all(
      Array.from(payloads, (payload: unknown) => prepareSubmission(task, payload, settings)),
    );
  const cure = 'Use submit for a single one.';
  const problem = { path: 'payloads', value: payloads, message: 'must be a list of payloads', cure };
  throw new InvalidOptionsError([problem], 'submitMany');
}

async function submitMany(
  parts: Parts,
  submissions: readonly Submission[],
  { task, tx }: { readonly task: AnyTask; readonly tx: unknown },
): Promise<readonly Submitted<never>[]> {
  const { broker } = parts;
  const submitted: Submitted<never>[] = [];
  const onAnswer = (submission: Submission, answer: SubmitAnswer | undefined): void => {
    submitted.push(note(parts, task, submission, answer));
  };
  // A transaction is all or none by itself.
  if (tx !== undefined) await submitInBatches(within(broker, tx), submissions, onAnswer);
  else
    try {
      await submitInBatches(broker, submissions, onAnswer);
    } catch (error) {
      throw await batchError(broker, { submissions, answered: submitted.length }, error);
    }
  return submitted;
}
