import type { CeleryOptions } from '@retry/core/dialects';
import { type CeleryRetryCall, type CeleryWhen, celeryRetry } from '@retry/core/dialects/parity';
import { countOf } from './failure-text.ts';

/** The result of a task that calls `self.retry(…)` in every run. */
export interface ManualRun {
  readonly state: string;
  readonly final_exception?: string;
  readonly total_executions: number | 'unlimited';
  /** The schedule of each retry: seconds, or an instant as text. */
  readonly countdowns: readonly (number | string)[];
}

/** Whether the failure is a call of `retry()` rather than an exception. */
export function isManualRetry(failure: string): boolean {
  return /\bretry\(/.test(failure);
}

/** A call in every run, or in the first few of them, with arguments and text after it. */
const FORM =
  /^(?:(?:always |raise )?self\.)?retry\((?<call>[^)]*)\)(?<direct>,? (?:called )?direct(?:ly| call)?)?(?: under retry_backoff| in every run|,? always| until exhausted)?(?:,? (?<count>once|twice|thrice|\w+ times))?(?<success>[,;]? (?:and )?(?:then )?(?:returns?|succeeds)\b.*)?$/;

/**
 * Calls `celeryRetry` in each run as the text describes, until a run returns instead.
 *
 * @throws {Error} for a text that it does not understand
 */
export function runManual(options: CeleryOptions, failure: string): ManualRun {
  const { call, calls } = readManual(failure);
  const given = /exc=(\w+)/.exec(failure)?.[1];
  const countdowns: (number | string)[] = [];
  for (let retries = 0; retries < 11; retries += 1) {
    const total_executions = retries + 1;
    if (retries === calls) return { state: 'SUCCESS', total_executions, countdowns };
    const answer = celeryRetry(options, { ...call, retries });
    if (answer.type === 'fail') {
      const final_exception = answer.error === 'exc' ? (given ?? '') : answer.error;
      const state = call.throw === false && retries > 0 ? 'SUCCESS' : 'FAILURE';
      return { state, final_exception, total_executions, countdowns };
    }
    countdowns.push(textOf(answer.shown));
  }
  return { state: 'unlimited', total_executions: 'unlimited', countdowns: countdowns.slice(0, 10) };
}

/** Reads `self.retry(countdown=5, eta=2030-01-01, exc=ValueError, max_retries=1, throw=False), then returns`. */
function readManual(failure: string): {
  readonly call: Omit<CeleryRetryCall, 'retries'>;
  /** Runs that call it; the one after them returns. */
  readonly calls: number;
} {
  // An exception may be written as a call that makes it.
  const groups = FORM.exec(failure.replace(/(exc=\w+)\([^)]*\)/, '$1'))?.groups;
  if (groups === undefined) throw new Error(`Cannot read the failure "${failure}".`);
  const { call = '', direct, count, success } = groups;
  const pairs = call.split(',').filter((part) => part.trim() !== '');
  const entries = pairs.map((pair) => {
    const [name = '', value = ''] = pair.split('=').map((part) => part.trim());
    return [name, readValue(name, value)];
  });
  const calls = countOf(count ?? (success === undefined ? undefined : 'once')) ?? Number.NaN;
  return {
    call: { ...Object.fromEntries(entries), ...(direct !== undefined && { called_directly: true }) },
    calls,
  };
}

function readValue(name: string, value: string): unknown {
  if (value === 'None') return null;
  if (value === 'True' || value === 'False') return value === 'True';
  if (name === 'exc') return new Error(value);
  return name === 'eta' ? Date.parse(value) : Number(value);
}

function textOf(when: CeleryWhen): number | string {
  if ('delayMs' in when) return when.delayMs / 1_000;
  return new Date(when.runAt).toISOString().replace('.000Z', '+00:00');
}
