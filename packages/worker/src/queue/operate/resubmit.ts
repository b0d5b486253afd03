import { InvalidOptionsError, parsePolicy } from '@retry/core';
import type { Broker, Run, Submission } from '@retry/core/broker';
import type { Fields, Report } from '@retry/core/fields';
import { allowedAttempts, QUEUE_SYNONYMS, readOptions, settingsOf } from '@retry/core/fields';
import { SUBMIT_CURES } from '../../task/foreign-options.ts';
import { readPayload, writePayload } from '../../task/payload.ts';
import { MAX_TEXT_BYTES_BY_DEFAULT } from '../../task/read-task.ts';
import type { AnyTask } from '../../task/task.ts';
import { checkTask, isTask } from '../../task/task.ts';
import { readId } from '../results/wait-options.ts';
import type { SubmitOptions, SubmitSettings, Submitted } from '../submission.ts';
import { prepareSubmission, readSubmission, SUBMIT_KEYS, toSubmission } from '../submission.ts';
import type { SubmitPolicy } from '../submit-options/submit-policy.ts';
import { checkSpent } from '../submit-options/submit-spent.ts';

/** The options of `queue.resubmit`; what is left out is that of the old run, or of its task. */
export interface ResubmitOptions extends Omit<SubmitOptions, 'key' | 'unique' | 'tx'> {
  /** The payload of the new run. @default that of the old one */
  readonly payload?: unknown;
  /**
   * The task of the new run, perhaps another version: its schema and `maxPayloadBytes` check the payload now. Without it the run
   * goes to the lane of the old one, and a new payload has at most 1 MiB and is checked when it starts.
   */
  readonly task?: AnyTask | undefined;
}

/** Submits a new run in place of an old one. */
export type Resubmit = (id: string, options?: ResubmitOptions) => Promise<Submitted | undefined>;

interface ResubmitParts {
  readonly broker: Pick<Broker, 'get'>;
  readonly submit: (submission: Submission) => Promise<Submitted>;
}

interface ResubmitSettings extends SubmitSettings {
  readonly payload: unknown;
  readonly task: AnyTask | undefined;
}

const KEYS = ['payload', 'task', ...SUBMIT_KEYS];

/** Creates the method `resubmit` of a queue. */
export function createResubmit({ broker, submit }: ResubmitParts): Resubmit {
  return async (id, options) => {
    const oldId = readId(id, 'resubmit');
    const settings = readOptions(
      options,
      { subject: 'resubmit', keys: KEYS, synonyms: QUEUE_SYNONYMS, cures: SUBMIT_CURES },
      readSettings,
    );
    const [run] = await broker.get([oldId]);
    if (run?.trimmed?.includes('payload') && settings.payload === undefined) throw withoutPayload(run);
    return run && submit({ ...(await repeat(run, settings)), origin: oldId });
  };
}

/** Retention has deleted what the new run would be submitted with. */
function withoutPayload({ id }: Run): InvalidOptionsError {
  const message = `is required: that of run ${id} is no longer kept (keepCompleted.bytes of the broker)`;
  const cure = 'Give the payload of the new run.';
  return new InvalidOptionsError([{ path: 'payload', value: undefined, message, cure }], 'resubmit');
}

function readSettings(fields: Fields, report: Report): ResubmitSettings {
  const task = fields.value('task');
  if (task !== undefined) checkTask(task, report);
  return {
    ...readSubmission(fields, report, ''),
    payload: fields.value('payload'),
    task: isTask(task) ? task : undefined,
  };
}

async function repeat(run: Run, { payload, task, ...given }: ResubmitSettings): Promise<Submission> {
  const settings = { ...given, context: given.context ?? run.context };
  const policy = settings.policy ?? policyOf(run);
  const concurrency = settings.concurrency ?? keyOf(run);
  if (task !== undefined) {
    const ofTask = payload === undefined ? readPayload(run.payload) : payload;
    return prepareSubmission(task, ofTask, { ...settings, policy, concurrency });
  }
  const text =
    payload === undefined
      ? run.payload
      : writePayload(payload, { maxPayloadBytes: MAX_TEXT_BYTES_BY_DEFAULT });
  const { spent } = settings;
  // That of a task is known to its worker only.
  if (spent !== undefined && policy?.maxAttempts !== undefined)
    checkSpent(spent, policy.maxAttempts, 'resubmit');
  const whenFull = run.concurrency?.whenFull ?? 'wait';
  return toSubmission(
    {
      ...{ lane: run.lane, payload: text, fairnessKey: run.fairnessKey, whenFull },
      initialDelayMs: policy?.initialDelayMs ?? 0,
    },
    { ...settings, policy, concurrency: concurrency ?? run.concurrency },
  );
}

/** The policy that the run was submitted with. One that cannot be read is kept: the worker reports it. */
function policyOf({ retry: text }: Run): SubmitPolicy | undefined {
  if (text === undefined) return undefined;
  try {
    const settings = settingsOf(parsePolicy(text));
    return { text, initialDelayMs: settings.initialDelayMs, maxAttempts: allowedAttempts(settings) };
  } catch (error) {
    if (error instanceof InvalidOptionsError) return { text, initialDelayMs: 0 };
    throw error;
  }
}

/** The concurrency key that the run was submitted with; that of a lane belongs to its task. */
function keyOf({ lane, concurrency }: Run): SubmitSettings['concurrency'] {
  return concurrency?.key === lane ? undefined : concurrency;
}
