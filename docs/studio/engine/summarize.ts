import type { Policy, Preview } from '@retry/core';
import { formatDuration } from '@retry/core';
import { settingsOf } from '@retry/core/fields';

/** How long one attempt takes, if that is known. */
interface AttemptTime {
  readonly attemptMs?: number;
}

/** Returns in sentences what a policy does if every attempt fails: how often, how long, and who sees it. */
export function summarize(policy: Policy, curve: Preview, options: AttemptTime): readonly string[] {
  return [attemptsText(curve), worstCase(policy, curve, options), expectedText(policy)];
}

function attemptsText({ maxRetries, retries }: Preview): string {
  if (maxRetries === 0) return 'One attempt and no retry.';
  const count = maxRetries === Infinity ? 'Attempts without a limit' : `Up to ${maxRetries + 1} attempts`;
  const first = retries[0]?.delay;
  if (first === undefined) return `${count}.`;
  return `${count}; the first retry comes after ${rangeText(first.minMs, first.maxMs)}.`;
}

function worstCase(policy: Policy, { isBounded, total }: Preview, { attemptMs }: AttemptTime): string {
  if (!isBounded) return 'Worst case: it never ends. Set a totalTimeout, or a maxAttempts.';
  const { attemptTimeoutMs, totalTimeoutMs } = settingsOf(policy);
  const attempt =
    attemptMs !== undefined
      ? `if each attempt takes ${formatDuration(attemptMs)}`
      : attemptTimeoutMs < Infinity
        ? `if each attempt runs into its timeout of ${formatDuration(attemptTimeoutMs)}`
        : 'besides the time of the attempts themselves';
  const end = total.maxMs >= totalTimeoutMs ? ', where totalTimeout ends it' : '';
  return `Worst case: ${formatDuration(total.maxMs)}${end}, ${attempt}; on average ${formatDuration(total.meanMs)}.`;
}

function expectedText(policy: Policy): string {
  const { retryOn, stopOn, retryable } = settingsOf(policy);
  if (!retryable || retryOn === 'nothing') return 'No error is retried.';
  const expected =
    retryOn === 'everything' ? 'Every error' : `An error that matches one of ${retryOn.length}`;
  const stop = stopOn.length === 0 ? '' : `, unless stopOn matches it`;
  return `${expected} is retried${stop}.`;
}

function rangeText(minMs: number, maxMs: number): string {
  return minMs === maxMs ? formatDuration(minMs) : `${formatDuration(minMs)} to ${formatDuration(maxMs)}`;
}
