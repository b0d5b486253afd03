import type { ReplaySummary } from '@retry/core/failures';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Replayed } from '../../packages/board/src/page/controls/replayed.tsx';
import type { FailureProblem } from './engine/read-failures.ts';
import type { StudioState } from './studio-state.ts';

/** What a replay has come to: for each policy what it would have decided, or what is wrong. */
type Outcome = readonly ReplaySummary[] | readonly FailureProblem[] | string;

/** What the policies would have decided about failures that were recorded. */
export function ReplayView({ studio }: { studio: StudioState }): VNode {
  const [pasted, setPasted] = useState('');
  const texts = studio.drafts.value.map(({ text }) => text.value);
  const [outcome, setOutcome] = useOutcome([...texts, pasted]);
  const isValid = studio.drafts.value.every(({ inspection }) => inspection.value?.curve !== undefined);
  const replay = (event: Event): void => {
    event.preventDefault();
    setOutcome('Replaying …');
    askEngine(studio, texts, pasted).then(setOutcome, (error: Error) => setOutcome(error.message));
  };
  return (
    <section aria-labelledby="replay-title">
      <h2 id="replay-title">Recorded failures</h2>
      <p class="lead">
        What the policy would have decided about failures that were recorded. What the server would have
        answered to another attempt is not known.
      </p>
      <form onSubmit={replay}>
        <PasteField text={pasted} onChange={setPasted} />
        <p>
          <button type="submit" class="main" disabled={!isValid || pasted === ''}>
            Replay
          </button>
        </p>
      </form>
      <div aria-live="polite">
        <OutcomeView outcome={outcome} />
      </div>
    </section>
  );
}

/** The outcome of what is written and chosen; that of something else is not shown. */
function useOutcome(basis: readonly string[]): [Outcome, (outcome: Outcome) => void] {
  const [found, setFound] = useState<{ readonly basis: readonly string[]; readonly outcome: Outcome }>();
  const isSame =
    found?.basis.length === basis.length && basis.every((part, index) => part === found.basis[index]);
  return [isSame ? found.outcome : '', (outcome) => setFound({ basis, outcome })];
}

async function askEngine(
  { engine }: StudioState,
  texts: readonly string[],
  pasted: string,
): Promise<readonly ReplaySummary[] | readonly FailureProblem[]> {
  const answer = await engine.ask({ type: 'replay', texts, pasted });
  return 'problems' in answer ? answer.problems : answer.summaries;
}

function PasteField({ text, onChange }: { text: string; onChange: (text: string) => void }): VNode {
  return (
    <label>
      <span>
        recorded runs, as <code>retry dlq ls --json</code> prints them
      </span>
      <textarea
        class="payload"
        rows={6}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  );
}

function OutcomeView({ outcome }: { outcome: Outcome }): VNode {
  if (typeof outcome === 'string') return <p class="quiet">{outcome}</p>;
  if (areProblems(outcome)) {
    return (
      <ul class="sentences">
        {outcome.map(({ path, message, cure }) => (
          <li key={`${path} ${message}`} class="error">
            <code>{path === '' ? 'the text' : path}</code> {`${message}. `}
            <span class="quiet">{cure}</span>
          </li>
        ))}
      </ul>
    );
  }
  return (
    <div class="pair">
      {outcome.map((summary, index) => (
        <div key={index}>
          <h3>{index === 0 ? 'The policy' : 'The other policy'}</h3>
          <Replayed summary={summary} />
        </div>
      ))}
    </div>
  );
}

function areProblems(outcome: Exclude<Outcome, string>): outcome is readonly FailureProblem[] {
  return outcome.some((part) => 'cure' in part);
}
