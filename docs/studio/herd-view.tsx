import { formatDuration } from '@retry/core';
import type { VNode } from 'preact';
import { percent } from '../../packages/board/src/page/charts/figures.ts';
import { FigureList } from '../../packages/board/src/page/controls/figure-list.tsx';
import type { Herd } from './engine/herd.ts';
import { HerdChart } from './herd-chart.tsx';
import { HerdForm } from './herd-form.tsx';
import { ceilingOf } from './scale.ts';
import type { HerdProblem, StudioState } from './studio-state.ts';

/** What the policies do to a dependency in trouble, when all its callers retry by them. */
export function HerdView({ studio }: { studio: StudioState }): VNode {
  const herds = studio.herds.value;
  const isValid = studio.drafts.value.every(({ inspection }) => inspection.value?.curve !== undefined);
  return (
    <section aria-labelledby="herd-title">
      <h2 id="herd-title">A herd</h2>
      <p class="lead">
        Everything that calls one dependency retries by the policy. The dependency fails for a while. Does it
        come back?
      </p>
      <HerdForm studio={studio} canRun={isValid} />
      <div aria-live="polite">
        {herds === 'running' ? <p class="quiet">Simulating 30 seeds …</p> : null}
        {herds === undefined ? <p class="quiet">Press Simulate to see it.</p> : null}
      </div>
      {typeof herds === 'object' ? <Result herds={herds} /> : null}
    </section>
  );
}

function Result({ herds }: { herds: readonly Herd[] | HerdProblem }): VNode {
  if (!('problem' in herds)) return <Herds herds={herds} />;
  return <p class="error" role="alert">{`Not simulated: ${herds.problem}`}</p>;
}

function Herds({ herds }: { herds: readonly Herd[] }): VNode {
  const highest = Math.max(
    ...herds.flatMap(({ load, capacity }) => [capacity, ...load.map(({ p95 }) => p95)]),
  );
  const labels = herds.length === 1 ? ['The policy'] : ['The policy', 'The other one'];
  return (
    <div class="pair">
      {herds.map((herd, index) => (
        <figure key={labels[index]}>
          <figcaption>
            <strong>{labels[index]}.</strong> {herd.advice}
          </figcaption>
          <HerdChart label={labels[index] ?? ''} herd={herd} ceiling={ceilingOf(highest)} />
          <p class="legend">
            <span class="load">attempts</span> <span class="goodput">successes</span>{' '}
            <span class="capacity">capacity</span>
          </p>
          <Figures herd={herd} />
        </figure>
      ))}
    </div>
  );
}

function Figures({ herd }: { herd: Herd }): VNode {
  const { amplification, successShare, recoveryMs, collapsedShare, runs } = herd;
  const rows = [
    ['attempts per call', amplification.median.toFixed(2)],
    ['calls that succeed', percent(successShare.median)],
    ['normal again after', recoveryMs === Infinity ? 'not in the time watched' : formatDuration(recoveryMs)],
    ['still down after 30 s', `${Math.round(collapsedShare * runs)} of ${runs} seeds`],
  ] as const;
  return <FigureList of={rows} />;
}
