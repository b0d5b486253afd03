import type { ReplaySummary } from '@retry/core/failures';
import type { VNode } from 'preact';
import { count, duration } from '../charts/figures.ts';

interface ReplayedProps {
  readonly summary: ReplaySummary;
  /** What the policy of their task would have decided, where that is known. */
  readonly present?: ReplaySummary | undefined;
}

/** What a policy would have decided, in sentences. */
export function Replayed({ summary, present }: ReplayedProps): VNode {
  const { runs, reasons, missing, complete } = summary;
  const ended = listOf(reasons);
  return (
    <ul class="sentences">
      <li>{sentenceOf(summary)}</li>
      {ended === '' ? null : <li>{`Those that would have ended: ${ended}.`}</li>}
      {present === undefined ? null : <li>{`By the task's own policy: ${sentenceOf(present)}`}</li>}
      {complete === runs ? null : (
        <li>{`${count(runs - complete)} runs lack facts, so a rule may have missed them: ${listOf(missing)}.`}</li>
      )}
    </ul>
  );
}

function listOf(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, amount]) => `${name} ${count(amount)}`)
    .join(', ');
}

function sentenceOf({
  runs,
  retried,
  endedEarlier,
  unchanged,
  sparedAttempts,
  laterBy,
}: ReplaySummary): string {
  const later =
    laterBy === undefined
      ? ''
      : ` Those end ${duration(Math.abs(laterBy.meanMs))} ${laterBy.meanMs < 0 ? 'sooner' : 'later'} on average.`;
  return `Of ${count(runs)} runs ${count(retried)} would have had another attempt, ${count(endedEarlier)} would have ended earlier (${count(sparedAttempts)} attempts spared), ${count(unchanged)} at the same attempt.${later}`;
}
