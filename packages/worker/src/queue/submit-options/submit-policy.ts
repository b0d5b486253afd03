import type { Policy } from '@retry/core';
import { InvalidOptionsError, parsePolicy, policyToJSON } from '@retry/core';
import { MAX_RETRY_BYTES } from '@retry/core/broker/kit';
import type { Fields, Report } from '@retry/core/fields';
import { allowedAttempts, settingsOf } from '@retry/core/fields';
import { problemBelow, readRetryPolicy } from '../../task/retry-policy.ts';

/** The policy of one submission. */
export interface SubmitPolicy {
  /** JSON text, as it is kept with the run. */
  readonly text: string;
  readonly initialDelayMs: number;
  /** How many attempts it allows; absent where it cannot be read. */
  readonly maxAttempts?: number;
}

/**
 * Reads the option `retry`: completed by the defaults of tasks, as that of a task is. It is kept as JSON, and read by whichever
 * worker executes the run; what cannot be written so is reported, below `retry`.
 */
export function readSubmitPolicy(fields: Fields, report: Report): SubmitPolicy | undefined {
  const given = fields.value('retry');
  if (given === undefined) return undefined;
  const path = fields.path('retry');
  let isValid = true;
  const policy = readRetryPolicy(path, given, (problem) => {
    isValid = false;
    report(problem);
  });
  return isValid ? writePolicy(policy, (problem) => report(problemBelow(path, problem))) : undefined;
}

function writePolicy(policy: Policy, report: Report): SubmitPolicy | undefined {
  try {
    const text = JSON.stringify(policyToJSON(policy));
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_RETRY_BYTES) {
      const cure = 'List fewer patterns, or give the policy to the task.';
      report({ path: '', value: text, message: `must be at most ${MAX_RETRY_BYTES} bytes of JSON`, cure });
      return undefined;
    }
    // A worker has no registry: it would not know what a name refers to.
    const settings = settingsOf(parsePolicy(text));
    return { text, initialDelayMs: settings.initialDelayMs, maxAttempts: allowedAttempts(settings) };
  } catch (error) {
    if (!(error instanceof InvalidOptionsError)) throw error;
    for (const problem of error.problems) report({ ...problem, cure: JSON_CURE });
    return undefined;
  }
}

const JSON_CURE =
  "The policy of a submission is kept as JSON: describe errors as { name: 'TimeoutError' }, or give functions to the task.";
