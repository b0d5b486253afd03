import type { PolicyInput } from '@retry/core';
import { formatDuration } from '@retry/core';
import type { ReplaySummary } from '@retry/core/failures';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ReplayAnswer } from '../../../api.ts';
import { count } from '../../charts/figures.ts';
import { linkTo } from '../../shell/route.ts';
import { useSession } from '../../shell/session.ts';

/** What another policy would have decided about the recorded failures of a group; it changes nothing. */
export function Replay({ lane, group }: { lane: string; group: string }): VNode {
  const { client, visitor } = useSession();
  const own = visitor.tasks.find((task) => task.lane === lane)?.policy;
  const [text, setText] = useState(JSON.stringify(own ?? { maxAttempts: 5 }, undefined, 2));
  const [answer, setAnswer] = useState<ReplayAnswer | string>('');
  const replay = (): void => {
    const policy = parse(text);
    if (policy === undefined) setAnswer('The policy is not JSON. The studio says where.');
    else
      client
        .post('replay', { policy, lane, group })
        .then(setAnswer, (error: Error) => setAnswer(error.message));
  };
  return (
    <details>
      <summary>Replay another policy on these failures</summary>
      <label>
        <span>policy, as JSON</span>
        <textarea
          class="payload"
          rows={8}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <p class="row">
        <button type="button" onClick={replay}>
          Replay
        </button>
        <a href={linkTo(['studio'], { policy: text })}>Open it in the studio</a>
      </p>
      <div role="status">{typeof answer === 'string' ? answer : <Answer answer={answer} />}</div>
    </details>
  );
}

function Answer({ answer: { summary, present, isComplete } }: { answer: ReplayAnswer }): VNode {
  return (
    <ul class="sentences">
      <li>{sentenceOf(summary)}</li>
      {present === undefined ? null : <li>{`By the task's own policy: ${sentenceOf(present)}`}</li>}
      {isComplete ? null : <li>The group has more runs, which were not replayed.</li>}
      {summary.complete === summary.runs ? null : (
        <li>{`${count(summary.runs - summary.complete)} runs lack facts, so a rule may have missed them.`}</li>
      )}
    </ul>
  );
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
      : ` Those end ${formatDuration(Math.abs(Math.round(laterBy.meanMs)))} ${laterBy.meanMs < 0 ? 'sooner' : 'later'} on average.`;
  return `Of ${count(runs)} runs ${count(retried)} would have had another attempt, ${count(endedEarlier)} would have ended earlier (${count(sparedAttempts)} attempts spared), ${count(unchanged)} at the same attempt.${later}`;
}

/** The server checks the policy itself. */
function parse(text: string): PolicyInput | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
