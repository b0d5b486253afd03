import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { LaneStorm, StormFigures } from '../../../api.ts';
import { useLive } from '../../api/loaded.ts';
import { Share } from '../../charts/bars.tsx';
import { percent } from '../../charts/figures.ts';
import { FigureList } from '../../controls/figure-list.tsx';
import { Empty, Ready } from '../../controls/states.tsx';
import { type Column, Table } from '../../controls/table.tsx';
import { Heading } from '../../shell/heading.tsx';
import { useSession } from '../../shell/session.ts';
import { PlanView } from '../failures/plan.tsx';
import { Findings, Holds } from './findings.tsx';
import { HoldLane } from './hold-lane.tsx';

const LINE = 0.1;

/** Whether retries make an outage worse, and where. */
export function Storm(): VNode {
  return (
    <>
      <Heading>Storm</Heading>
      <Ready of={useLive('storm')}>
        {({ all, lanes, holds, findings }) => (
          <>
            {all === undefined ? (
              <Empty>No worker has reported yet. Start one, or wait for its first interval.</Empty>
            ) : (
              <Total figures={all} />
            )}
            <Findings findings={findings} />
            {lanes.length === 0 ? null : <Lanes lanes={lanes} />}
            <Holds holds={holds} />
          </>
        )}
      </Ready>
    </>
  );
}

function Total({ figures }: { figures: StormFigures }): VNode {
  const { startsPerSecond, retriesPerSecond, retryShare, amplification } = figures;
  const rows = [
    ['attempts a second', startsPerSecond.toFixed(1)],
    ['of these retries', retriesPerSecond.toFixed(1)],
    ['share of retries', percent(retryShare)],
    ['attempts for each first one', amplification === null ? 'only retries start' : amplification.toFixed(2)],
  ] as const;
  return (
    <>
      <FigureList of={rows} />
      <p class={retryShare > LINE ? 'error' : 'quiet'}>
        {retryShare > LINE
          ? 'More than 10 % of all starts are retries: they make an outage worse. Hold the lanes at the top, or give their tasks a circuit breaker.'
          : 'Less than 10 % of all starts are retries.'}
      </p>
      <p class="quiet">Retry budgets are kept by the processes that call; no queue knows them.</p>
    </>
  );
}

function Lanes({ lanes }: { lanes: readonly LaneStorm[] }): VNode {
  const { rights } = useSession().visitor;
  const [redriven, redrive] = useState<LaneStorm | undefined>();
  const letters: Column<LaneStorm> = {
    title: 'dead letters',
    cell: (lane) => (
      <button type="button" disabled={!rights.redrive} onClick={() => redrive(lane)}>
        Spread a redrive …
      </button>
    ),
  };
  return (
    <>
      <Table caption="Lanes" rows={lanes} keyOf={({ lane }) => lane} columns={[...COLUMNS, letters]} />
      {redriven && (
        <PlanView
          key={redriven.lane}
          kind="redrive"
          speed="spread"
          filter={{ task: redriven.task, version: redriven.version }}
          close={() => redrive(undefined)}
        />
      )}
    </>
  );
}

const COLUMNS: readonly Column<LaneStorm>[] = [
  { title: 'task', cell: ({ task, version }) => <bdi>{`${task} ${version}`}</bdi> },
  {
    title: 'share of retries',
    cell: ({ retryShare }) => (
      <span class="shared">
        <Share share={retryShare} limit={LINE} /> {percent(retryShare)}
      </span>
    ),
  },
  { title: 'starts a second', isNumber: true, cell: ({ startsPerSecond }) => startsPerSecond.toFixed(1) },
  { title: 'retries a second', isNumber: true, cell: ({ retriesPerSecond }) => retriesPerSecond.toFixed(1) },
  {
    title: 'amplification',
    isNumber: true,
    cell: ({ amplification }) => amplification?.toFixed(2) ?? 'only retries',
  },
  { title: 'circuit breaker', cell: ({ breaker }) => breaker },
  { title: 'hold', cell: ({ lane, holds }) => <HoldLane lane={lane} isHeld={holds.length > 0} /> },
];
