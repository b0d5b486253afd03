import { type CeleryOptions, type CeleryRetryCall, type CeleryWhen, celeryRetry } from '@retry/core/dialects';

/** How a task went that calls `self.retry(…)` in every run. */
export interface ManualRun {
  readonly state: string;
  readonly final_exception?: string;
  readonly total_executions: number | 'unlimited';
  /** What each retry was scheduled with: seconds, or an instant as text. */
  readonly countdowns: readonly (number | string)[];
}

/** Whether the failure is a call of `retry()` rather than an exception. */
export function isManualRetry(failure: string): boolean {
  return /\bretry\(/.test(failure);
}

/** Calls `celeryRetry` as the text says, run after run. */
export function runManual(options: CeleryOptions, failure: string): ManualRun {
  const call = readCall(failure);
  const given = /exc=(\w+)/.exec(failure)?.[1];
  const countdowns: (number | string)[] = [];
  for (let retries = 0; retries < 11; retries += 1) {
    const answer = celeryRetry(options, { ...call, retries });
    const total_executions = retries + 1;
    if (answer.type === 'fail') {
      const final_exception = answer.error === 'exc' ? (given ?? '') : answer.error;
      const state = call.throw === false && retries > 0 ? 'SUCCESS' : 'FAILURE';
      return { state, final_exception, total_executions, countdowns };
    }
    countdowns.push(textOf(answer.shown));
  }
  return { state: 'unlimited', total_executions: 'unlimited', countdowns: countdowns.slice(0, 10) };
}

/** Reads `self.retry(countdown=5, eta=2030-01-01, exc=ValueError, max_retries=1, throw=False)`. */
function readCall(failure: string): Omit<CeleryRetryCall, 'retries'> {
  const inside = /\bretry\(([^)]*)\)/.exec(failure)?.[1] ?? '';
  const pairs = inside.split(',').filter((part) => part.trim() !== '');
  const entries = pairs.map((pair) => {
    const [name = '', value = ''] = pair.split('=').map((part) => part.trim());
    return [name, readValue(name, value)];
  });
  const isDirect = /direct/.test(failure) && { called_directly: true };
  return Object.fromEntries([...entries, ...Object.entries(isDirect || {})]);
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
