import type { LaneFigures } from '@retry/core/broker';
import type { VNode } from 'preact';
import type { OverviewAnswer } from '../../../api.ts';
import { useLive } from '../../api/loaded.ts';
import { count, duration } from '../../charts/figures.ts';
import { FigureList } from '../../controls/figure-list.tsx';
import { Empty, Ready } from '../../controls/states.tsx';
import { type Column, Table } from '../../controls/table.tsx';
import { Heading } from '../../shell/heading.tsx';
import { Findings, Holds } from './findings.tsx';
import { HoldLane } from './hold-lane.tsx';

/** The queue in figures: what is wrong, its lanes, and whether everything adds up. */
export function Overview(): VNode {
  return (
    <>
      <Heading>Overview</Heading>
      <Ready of={useLive('overview')}>
        {(answer) => (
          <>
            <Totals answer={answer} />
            <Findings findings={answer.findings} none="Nothing needs attention." />
            <section aria-labelledby="lanes">
              <h2 id="lanes">Lanes</h2>
              {answer.lanes.length === 0 ? (
                <Empty>No lane has runs or workers.</Empty>
              ) : (
                <Lanes lanes={answer.lanes} />
              )}
            </section>
            <Holds holds={answer.holds} />
          </>
        )}
      </Ready>
    </>
  );
}

function Totals({ answer: { figures, audit, lateness } }: { answer: OverviewAnswer }): VNode {
  const { due, isComplete } = figures;
  const most = (found: number): string => amount({ count: found, isComplete });
  const rows = [
    ['waiting', most(figures.waiting)],
    ['scheduled', `${most(figures.scheduled)}${due === 0 ? '' : `, ${most(due)} overdue`}`],
    ['started', most(figures.started)],
    ['dead letters', count(figures.deadLetters)],
    ['workers', count(figures.workers)],
    ['late by, p50 and p99', lateness && `${duration(lateness.p50Ms)}, ${duration(lateness.p99Ms)}`],
    ['created', count(audit.created)],
    ['unbalanced', `${count(audit.unbalanced)}${audit.unbalanced === 0 ? '' : ' (a bug: please report it)'}`],
  ] as const;
  return <FigureList of={rows} wrong={audit.unbalanced === 0 ? undefined : 'unbalanced'} />;
}

function Lanes({ lanes }: { lanes: readonly LaneFigures[] }): VNode {
  return <Table caption="Lanes" rows={lanes} keyOf={({ lane }) => lane} columns={COLUMNS} />;
}

const COLUMNS: readonly Column<LaneFigures>[] = [
  { title: 'lane', cell: ({ lane }) => <bdi>{lane}</bdi> },
  { title: 'waiting', isNumber: true, cell: ({ waiting }) => amount(waiting) },
  { title: 'scheduled', isNumber: true, cell: ({ scheduled }) => amount(scheduled) },
  { title: 'started', isNumber: true, cell: ({ started }) => amount(started) },
  {
    title: 'oldest claimable',
    isNumber: true,
    cell: ({ oldestClaimableAgeMs: age }) => (age === undefined ? '' : duration(age)),
  },
  { title: 'in /s', isNumber: true, cell: ({ rateIn }) => rateIn?.perSecond.toFixed(1) },
  { title: 'out /s', isNumber: true, cell: ({ rates }) => rates?.out.perSecond.toFixed(1) },
  {
    title: 'latest start',
    isNumber: true,
    cell: ({ rates }) => rates && duration(rates.maxLatenessMs),
  },
  {
    title: 'workers',
    isNumber: true,
    cell: ({ workers }) => (workers === 0 ? <span class="error">0</span> : workers),
  },
  { title: 'hold', cell: ({ lane, holds }) => <HoldLane lane={lane} isHeld={holds.length > 0} /> },
];

function amount({ count: found, isComplete }: LaneFigures['waiting']): string {
  return `${isComplete ? '' : '≥ '}${count(found)}`;
}
