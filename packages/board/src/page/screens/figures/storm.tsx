import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { LaneStorm, StormAnswer, StormFigures } from '../../../api.ts';
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

/** Whether retries make an outage worse, and where. */
export function Storm(): VNode {
  return (
    <>
      <Heading>Storm</Heading>
      <Ready of={useLive('storm')}>
        {({ all, lanes, holds, findings, retryShareLine, minStarts }) => (
          <>
            {all === undefined ? (
              <Empty>No worker has reported yet. Start one, or wait for its first interval.</Empty>
            ) : (
              <>
                <Total figures={all} />
                <Findings findings={findings} none={<NoStorm {...{ lanes, retryShareLine, minStarts }} />} />
              </>
            )}
            {lanes.length === 0 ? null : (
              <Lanes lanes={lanes} judgement={{ findings, retryShareLine, minStarts }} />
            )}
            <Holds holds={holds} />
            <p class="quiet">Retry budgets are kept by the processes that call; no queue knows them.</p>
          </>
        )}
      </Ready>
    </>
  );
}

type NoStormProps = Pick<StormAnswer, 'lanes' | 'retryShareLine' | 'minStarts'>;

/** What is good, and what is not known yet: a share of few starts says nothing. */
function NoStorm({ lanes, retryShareLine, minStarts }: NoStormProps): VNode {
  const unjudged = lanes.filter(({ retryShare }) => retryShare > retryShareLine).length;
  const line = percent(retryShareLine);
  if (unjudged === 0) return <>{`No lane has more than ${line} retries.`}</>;
  return (
    <span class="quiet">
      {`${unjudged === 1 ? '1 lane has' : `${unjudged} lanes have`} more than ${line} retries, of fewer than ${minStarts} starts: too few to judge yet.`}
    </span>
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
  return <FigureList of={rows} />;
}

/** What lanes are judged by. */
type Judgement = Pick<StormAnswer, 'findings' | 'retryShareLine' | 'minStarts'>;

function Lanes({ lanes, judgement }: { lanes: readonly LaneStorm[]; judgement: Judgement }): VNode {
  const [redriven, redrive] = useState<LaneStorm | undefined>();
  const letters: Column<LaneStorm> = {
    title: 'dead letters',
    cell: (lane) => <SpreadButton redrive={() => redrive(lane)} />,
  };
  return (
    <>
      <Table
        caption="Lanes"
        rows={lanes}
        keyOf={({ lane }) => lane}
        columns={[...columnsOf(judgement), letters]}
      />
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

function SpreadButton({ redrive }: { redrive: () => void }): VNode {
  const { rights } = useSession().visitor;
  const title = rights.redrive ? undefined : 'It needs the right redrive.';
  return (
    <button type="button" disabled={!rights.redrive} title={title} onClick={redrive}>
      Spread a redrive …
    </button>
  );
}

const columnsOf = ({ findings, retryShareLine, minStarts }: Judgement): readonly Column<LaneStorm>[] => [
  { title: 'task', cell: ({ task, version }) => <bdi>{`${task} ${version}`}</bdi> },
  {
    title: 'share of retries',
    cell: ({ lane, retryShare, starts }) => (
      <span class="shared">
        <Share
          share={retryShare}
          limit={retryShareLine}
          isOver={findings.some((each) => each.lane === lane)}
        />{' '}
        {percent(retryShare)}{' '}
        {starts < minStarts && retryShare > retryShareLine ? <span class="quiet">of few starts</span> : null}
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
