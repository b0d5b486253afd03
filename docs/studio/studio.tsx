import type { VNode } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { NumberField } from '../../packages/board/src/page/controls/fields.tsx';
import { useTracked } from '../../packages/board/src/page/shell/tracked.ts';
import { Curve } from './curve.tsx';
import { Editor } from './editor.tsx';
import { Findings } from './findings.tsx';
import { HerdView } from './herd-view.tsx';
import { ReplayView } from './replay-view.tsx';
import type { Draft, StudioLink, StudioState } from './studio-state.ts';
import { createStudio } from './studio-state.ts';
import { SystemView } from './system-view.tsx';
import { TakeAway } from './take-away.tsx';

interface StudioProps {
  readonly createWorker: () => Worker;
  readonly link: StudioLink;
}

/** Writes policies and shows what they do; it needs no server. */
export function Studio({ createWorker, link }: StudioProps): VNode {
  const studio = useMemo(() => createStudio(createWorker, link), [createWorker, link]);
  useTracked(() => allOf(studio));
  useEffect(() => studio.close, [studio]);
  const drafts = studio.drafts.value;
  const hasOther = drafts.length > 1;
  return (
    <div class="studio">
      {studio.failure.value === undefined ? null : (
        <p class="error" role="alert">
          {`The engine of the studio failed: ${studio.failure.value}. Reload the page if it stays so.`}
        </p>
      )}
      <div class="row">
        <button type="button" onClick={hasOther ? studio.removeOther : studio.addOther}>
          {hasOther ? 'Remove the other policy' : 'Compare with another policy'}
        </button>
        <AttemptField studio={studio} />
        <span class="quiet">Ctrl + Space completes keys and values.</span>
      </div>
      <SystemView studio={studio} />
      <div class="pair">
        {drafts.map((draft) => (
          <PolicyPane key={draft.id} draft={draft} studio={studio} />
        ))}
      </div>
      <ReplayView studio={studio} />
      <HerdView studio={studio} />
    </div>
  );
}

/** Reads all that the studio shows. */
function allOf({ drafts, attemptMs, world, herds, failure }: StudioState): unknown {
  const texts = drafts.value.map(({ text, inspection }) => [text.value, inspection.value]);
  return [texts, ...[attemptMs, world, herds, failure].map(({ value }) => value)];
}

function AttemptField({ studio: { attemptMs } }: { studio: StudioState }): VNode {
  return (
    <NumberField
      label="one attempt takes, ms"
      value={attemptMs.value}
      min={0}
      max={86_400_000}
      onChange={(ms) => {
        attemptMs.value = ms;
      }}
      onEmpty={() => {
        attemptMs.value = undefined;
      }}
    />
  );
}

function PolicyPane({ draft, studio }: { draft: Draft; studio: StudioState }): VNode {
  const title = draft.id === 'policy' ? 'The policy' : 'The other policy';
  return (
    <section aria-labelledby={`${draft.id}-title`}>
      <h2 id={`${draft.id}-title`}>{title}</h2>
      <div class="pair">
        <div>
          <Editor draft={draft} engine={studio.engine} label={`${title}, as JSON`} />
          <Findings draft={draft} />
          <TakeAway draft={draft} />
        </div>
        <Outcome draft={draft} studio={studio} title={title} />
      </div>
    </section>
  );
}

function Outcome({ draft, studio, title }: { draft: Draft; studio: StudioState; title: string }): VNode {
  const { curve, sentences } = draft.inspection.value ?? { sentences: [] };
  const curves = studio.drafts.value.flatMap(({ inspection }) => inspection.value?.curve ?? []);
  const delays = curves.flatMap(({ retries }) => retries.map(({ delay }) => delay.maxMs));
  return (
    <div>
      {curve === undefined ? (
        <p class="quiet">Its curve is drawn when the text is a policy: mend the errors.</p>
      ) : (
        <Curve
          label={title}
          curve={curve}
          ceilingMs={Math.max(0, ...delays)}
          maxRetries={Math.max(...curves.map(({ retries }) => retries.length))}
        />
      )}
      <ul class="sentences">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </div>
  );
}
