import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { SelectField } from '../../controls/fields.tsx';
import type { FailureProblem } from '../engine/read-failures.ts';
import type { StudioState } from '../studio-state.ts';
import type { FailureSet, FailureSource, Replayed } from './failure-source.ts';
import { ReplayedView } from './replayed-view.tsx';

interface ReplayViewProps {
  readonly studio: StudioState;
  /** Absent where there is no queue: then failures are pasted. */
  readonly source: FailureSource | undefined;
}

/** What a replay has come to: for each policy its answer, or what is wrong. */
type Outcome = readonly Replayed[] | readonly FailureProblem[] | string;

const PASTED = 'pasted';

/** What the policies would have decided about failures that were recorded. */
export function ReplayView({ studio, source }: ReplayViewProps): VNode {
  const { sets, problem } = useSets(source, studio.failures.value);
  const [pasted, setPasted] = useState('');
  const chosen = source === undefined ? PASTED : (studio.failures.value ?? sets[0]?.id ?? PASTED);
  const texts = studio.drafts.value.map(({ text }) => text.value);
  const [outcome, setOutcome] = useOutcome([...texts, chosen, pasted]);
  const isValid = studio.drafts.value.every(({ inspection }) => inspection.value?.curve !== undefined);
  const replay = (event: Event): void => {
    event.preventDefault();
    const asked =
      chosen === PASTED || source === undefined
        ? askEngine(studio, texts, pasted)
        : Promise.all(texts.map((text) => source.replay(text, chosen)));
    setOutcome('Replaying …');
    asked.then(setOutcome, (error: Error) => setOutcome(error.message));
  };
  return (
    <section aria-labelledby="replay-title">
      <h2 id="replay-title">Recorded failures</h2>
      <p class="lead">
        What the policy would have decided about failures that were recorded. What the server would have
        answered to another attempt is not known.
      </p>
      <form onSubmit={replay}>
        {source === undefined ? null : <SetField studio={studio} sets={sets} chosen={chosen} />}
        {problem === undefined ? null : <p class="error">{problem}</p>}
        {chosen === PASTED ? <PasteField text={pasted} onChange={setPasted} /> : null}
        <p>
          <button type="submit" class="main" disabled={!isValid || (chosen === PASTED && pasted === '')}>
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

interface Sets {
  readonly sets: readonly FailureSet[];
  readonly problem?: string;
}

function useSets(source: FailureSource | undefined, wanted: string | undefined): Sets {
  const [found, setFound] = useState<Sets>({ sets: [] });
  useEffect(() => {
    if (wanted === PASTED || found.sets.some(({ id }) => id === wanted)) return;
    source?.list(wanted).then(
      (sets) => setFound({ sets }),
      ({ message }: Error) => setFound({ sets: [], problem: message }),
    );
  }, [source, wanted]);
  return found;
}

async function askEngine(
  { engine }: StudioState,
  texts: readonly string[],
  pasted: string,
): Promise<readonly Replayed[] | readonly FailureProblem[]> {
  const answer = await engine.ask({ type: 'replay', texts, pasted });
  if ('problems' in answer) return answer.problems;
  return answer.summaries.map((summary) => ({ summary, isComplete: true }));
}

interface SetFieldProps {
  readonly studio: StudioState;
  readonly sets: readonly FailureSet[];
  readonly chosen: string;
}

function SetField({ studio, sets, chosen }: SetFieldProps): VNode {
  const titles = Object.fromEntries(sets.map(({ id, title }) => [id, title]));
  return (
    <p class="fields">
      <SelectField
        label="failures"
        value={chosen}
        choices={{ ...titles, [PASTED]: 'pasted as JSON' }}
        onChange={(id) => {
          studio.failures.value = id;
        }}
      />
    </p>
  );
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
      {outcome.map((replayed, index) => (
        <div key={index}>
          <h3>{index === 0 ? 'The policy' : 'The other policy'}</h3>
          <ReplayedView replayed={replayed} />
        </div>
      ))}
    </div>
  );
}

function areProblems(outcome: Exclude<Outcome, string>): outcome is readonly FailureProblem[] {
  return outcome.some((part) => 'cure' in part);
}
