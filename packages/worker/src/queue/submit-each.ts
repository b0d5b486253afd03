import { isPromise } from 'node:util/types';
import type { Problem } from '@retry/core';
import { InvalidOptionsError } from '@retry/core';
import type { Submission } from '@retry/core/broker';
import { isList, isSynchronous, QUEUE_SYNONYMS, readFields } from '@retry/core/fields';
import { FairnessKeyError, PayloadError } from '../errors.ts';
import { SUBMIT_CURES } from '../task/foreign-options.ts';
import type { AnyTask } from '../task/task.ts';
import type { SubmitOptions, SubmitSettings } from './submission.ts';
import { isPrepared, prepareSubmission, readSubmission, SUBMIT_KEYS } from './submission.ts';

/** The options of one run of `queue.submitMany`. */
export type SubmitEachOptions = Omit<SubmitOptions, 'tx'>;

/** The options of `queue.submitMany`: those of all its runs, and those of each. */
export interface SubmitManyOptions<Payload = unknown> extends Omit<SubmitOptions, 'key' | 'unique'> {
  /**
   * Returns the options of the run of one payload, which replace those of all runs; nothing, if it has none of its own. The index
   * counts from 0.
   */
  readonly each?: ((payload: Payload, index: number) => SubmitEachOptions | undefined) | undefined;
}

type Each = NonNullable<SubmitManyOptions['each']>;

/** The settings of all runs, and what returns those of each. */
export type ManySettings = SubmitSettings & Pick<SubmitManyOptions, 'each'>;

/** What `each` has to be. */
export const AN_EACH = {
  accepts: (value: unknown): value is Each => isSynchronous(value),
  message: 'must be a synchronous function of a payload and its index',
  cure: 'Use each: (order) => ({ key: order.id }).',
};

const EACH_KEYS = ['key', 'unique', ...SUBMIT_KEYS];

/** A sparse list may have 2³² without taking any memory. */
const MAX_PAYLOADS = 1_000_000;

/**
 * Returns the submissions of `queue.submitMany`: the run of each payload, with the options of all and its own.
 *
 * @throws {InvalidOptionsError} for anything but a list of payloads, or listing every problem with what `each` returned
 * @throws {PayloadError} or {FairnessKeyError}, naming the payload that it is about
 */
export async function prepareEach(
  task: AnyTask,
  payloads: unknown,
  settings: ManySettings,
): Promise<readonly Submission[]> {
  if (!isList(payloads) || payloads.length > MAX_PAYLOADS) throw noPayloads(payloads);
  // Array.from turns holes into undefined payloads.
  const all: readonly unknown[] = Array.from(payloads);
  const settingsOf = settingsOfEach(all, settings, task.name);
  const prepared = all.map((payload, index) =>
    naming(index, () => prepareSubmission(task, payload, settingsOf[index] ?? {})),
  );
  return prepared.every(isPrepared) ? prepared : Promise.all(prepared);
}

function noPayloads(value: unknown): InvalidOptionsError {
  const message = `must be a list of at most ${MAX_PAYLOADS} payloads`;
  const cure = 'Use submit for a single one.';
  return new InvalidOptionsError([{ path: 'payloads', value, message, cure }], 'submitMany');
}

/** Prepares one of many payloads: an error names the one that it is about. */
function naming<Prepared>(
  index: number,
  prepare: () => Prepared | Promise<Prepared>,
): Prepared | Promise<Prepared> {
  const named = (error: unknown): never => {
    if (error instanceof FairnessKeyError)
      throw new FairnessKeyError(`payloads[${index}]: ${error.message}`, { cause: error });
    if (!(error instanceof PayloadError)) throw error;
    throw new PayloadError(`payloads[${index}]: ${error.message}`, error.issues, { cause: error });
  };
  try {
    const prepared = prepare();
    return prepared instanceof Promise ? prepared.catch(named) : prepared;
  } catch (error) {
    return named(error);
  }
}

/**
 * Returns the settings of the run of each payload.
 *
 * @throws {InvalidOptionsError} listing every problem with what `each` returned
 */
function settingsOfEach(
  payloads: readonly unknown[],
  { each, ...shared }: ManySettings,
  taskName: string,
): readonly SubmitSettings[] {
  if (each === undefined) return payloads.map(() => shared);
  const problems: Problem[] = [];
  const report = (problem: Problem): void => void problems.push(problem);
  const known = { keys: EACH_KEYS, synonyms: QUEUE_SYNONYMS, cures: SUBMIT_CURES, report };
  const settings = payloads.map((payload, index) => {
    const options: unknown = each(payload, index);
    if (isPromise(options)) options.catch(() => {}); // refused below, and nothing awaits it
    const fields = options === undefined ? undefined : readFields(options, `each(${index})`, known);
    return fields === undefined ? shared : withOwn(shared, readSubmission(fields, report, taskName));
  });
  if (problems.length > 0) throw new InvalidOptionsError(problems, 'submitMany');
  return settings;
}

function withOwn(shared: SubmitSettings, own: SubmitSettings): SubmitSettings {
  const given = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...shared, ...Object.fromEntries(given) };
}
