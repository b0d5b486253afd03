import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { NextAttempt, RunAnswer } from '../../../api.ts';
import { useLive } from '../../api/loaded.ts';
import { duration } from '../../charts/figures.ts';
import { CopyButton } from '../../controls/copy-button.tsx';
import { FigureList } from '../../controls/figure-list.tsx';
import { Shown } from '../../controls/shown.tsx';
import { Ready } from '../../controls/states.tsx';
import { Heading } from '../../shell/heading.tsx';
import { Instant } from '../../shell/instants.tsx';
import { linkTo } from '../../shell/route.ts';
import { AttemptTable } from './attempt-table.tsx';
import { RunActs, type RunActsProps } from './run-acts.tsx';
import { Timeline } from './timeline.tsx';
import { Unmask, unmaskedIn } from './unmask.tsx';

/** One run: its attempts, why each was retried, and what follows. */
export function Run({ id }: { id: string }): VNode {
  const { reload, ...found } = useLive('runs/:id', { params: { id } });
  const [discarded, setDiscarded] = useState('');
  const isDiscarded = discarded === id;
  const discard = (): void => setDiscarded(id);
  const { data } = found;
  return (
    <>
      {data === undefined && found.problem !== undefined ? <Heading>Run</Heading> : null}
      {isDiscarded ? <p role="status">This run was discarded. Below is what it was.</p> : null}
      <Ready of={isDiscarded && data !== undefined ? { data } : found}>
        {(answer) => <RunView {...{ answer, isDiscarded, discard, reload }} />}
      </Ready>
    </>
  );
}

interface RunViewProps extends Pick<RunActsProps, 'isDiscarded' | 'discard' | 'reload'> {
  readonly answer: RunAnswer;
}

function RunView({ answer, ...acting }: RunViewProps): VNode {
  const [unmasked, setUnmasked] = useState<RunAnswer | undefined>();
  const shown = unmaskedIn(answer, unmasked);
  const { run, attempts, command } = shown;
  return (
    <>
      <p>
        <BackLink answer={answer} />
      </p>
      <Heading>
        <bdi>{run.task}</bdi> <span class={`state ${run.state}`}>{run.state}</span>
      </Heading>
      <RunFigures answer={answer} />
      <Unmask answer={shown} isUnmasked={unmasked !== undefined} show={setUnmasked} />
      <section aria-labelledby="attempts">
        <h2 id="attempts">Attempts</h2>
        <Timeline attempts={attempts} />
        <AttemptTable attempts={attempts} />
      </section>
      <Verdict answer={answer} />
      <RunActs run={run} acts={answer.acts} {...acting} />
      <p>
        <CopyButton label="Copy as command" text={command} keyName="c" />
      </p>
      {run.payload === undefined ? null : <Shown label="Payload" text={run.payload} />}
      {run.result === undefined ? null : <Shown label="Result" text={run.result} />}
    </>
  );
}

function BackLink({ answer: { run } }: { answer: RunAnswer }): VNode {
  const group = run.errorGroup;
  const href = group === undefined ? linkTo(['failures']) : linkTo(['failures', run.lane, group]);
  return (
    <a href={href} data-key="u">
      {group === undefined ? 'Failures' : 'Its error group'}
    </a>
  );
}

function RunFigures({ answer: { run, policy } }: { answer: RunAnswer }): VNode {
  const limit = 'maxAttempts' in policy ? ` of ${policy.maxAttempts ?? 'any number'}` : '';
  const figures = [
    ['run', run.id],
    ['version', run.version],
    ['attempt', `${run.attempt}${limit}`],
    ['created', <Instant key="created" at={run.createdAt} />],
    ['due', run.runAt && <Instant key="due" at={run.runAt} />],
    ['ended', run.endedAt && <Instant key="ended" at={run.endedAt} />],
    [
      'origin',
      run.origin === undefined ? undefined : <a href={linkTo(['runs', run.origin])}>{run.origin}</a>,
    ],
  ] as const;
  return <FigureList of={figures} />;
}

function Verdict({ answer: { explanation, next, policy } }: { answer: RunAnswer }): VNode {
  return (
    <section aria-labelledby="verdict">
      <h2 id="verdict">What follows</h2>
      {policy.from === 'unknown' ? (
        <p>
          The board does not know this task, so it cannot say what its policy decides. Give createBoard its
          tasks.
        </p>
      ) : null}
      {explanation === undefined ? null : (
        <p>
          {explanation.text} <code class="quiet">{explanation.rule}</code>
        </p>
      )}
      <p>{next === undefined ? 'No attempt follows.' : <NextText next={next} />}</p>
    </section>
  );
}

function NextText({ next }: { next: NextAttempt }): VNode {
  switch (next.type) {
    case 'due':
      return (
        <>
          {`Attempt ${next.attempt} is due `}
          <Instant at={next.runAt} />.
          {next.minMs === undefined || next.maxMs === undefined
            ? ''
            : ` By its policy it waits ${duration(next.minMs)} to ${duration(next.maxMs)}.`}
        </>
      );
    case 'after-failure':
      return (
        <>{`If this attempt fails, attempt ${next.attempt} starts ${duration(next.minMs)} to ${duration(next.maxMs)} later.`}</>
      );
    case 'redrive':
      return <>{`It is a dead letter. After a redrive it starts with attempt ${next.attempt}.`}</>;
    case 'none':
      return <>{`It runs; if it fails, no attempt follows (${next.reason}).`}</>;
  }
}
