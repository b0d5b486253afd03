import { isPromise } from 'node:util/types';
import type { Problem } from '@retry/core';
import { InvalidOptionsError } from '@retry/core';
import { QUEUE_SYNONYMS, readFields } from '@retry/core/fields';
import { SUBMIT_CURES } from '../task/foreign-options.ts';
import type { SubmitOptions, SubmitSettings } from './submission.ts';
import { readSubmission, SUBMIT_KEYS } from './submission.ts';

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

/** What `each` has to be. */
export const AN_EACH = {
  accepts: (value: unknown): value is Each => typeof value === 'function',
  message: 'must be a function of a payload and its index',
  cure: 'Use each: (order) => ({ key: order.id }).',
};

const EACH_KEYS = ['key', 'unique', ...SUBMIT_KEYS];

/**
 * Returns the settings of the run of each payload.
 *
 * @throws {InvalidOptionsError} listing every problem with what `each` returned
 */
export function settingsOfEach(
  payloads: readonly unknown[],
  { each, ...shared }: SubmitSettings & { readonly each?: Each | undefined },
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
