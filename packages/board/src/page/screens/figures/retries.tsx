import type { VNode } from 'preact';
import type { DueTimeline, LaneAttempts } from '../../../api.ts';
import { useLive } from '../../api/loaded.ts';
import { Bars } from '../../charts/bars.tsx';
import { count, duration } from '../../charts/figures.ts';
import { Empty, Ready } from '../../controls/states.tsx';
import { type Column, Table } from '../../controls/table.tsx';
import { Heading } from '../../shell/heading.tsx';

/** When retries are due, and how many runs are at which attempt. */
export function Retries(): VNode {
  return (
    <>
      <Heading>Retries</Heading>
      <Ready of={useLive('retries')}>
        {({ near, far, attempts, otherLanes }) => (
          <>
            <Due title="Due in the next 10 minutes" due={near} />
            <Due title="Due in the next 24 hours" due={far} />
            <section aria-labelledby="by-attempt">
              <h2 id="by-attempt">By attempt</h2>
              {attempts.length === 0 ? <Empty>No run waits.</Empty> : <Attempts lanes={attempts} />}
              {otherLanes === 0 ? null : <p class="quiet">{`${otherLanes} more lanes have fewer runs.`}</p>}
            </section>
          </>
        )}
      </Ready>
    </>
  );
}

function Due({ title, due }: { title: string; due: DueTimeline }): VNode {
  const { counts, bucketMs, before, after, from, completeUntil } = due;
  const total = counts.reduce((sum, amount) => sum + amount, 0);
  const highest = Math.max(0, ...counts);
  const peakMs = counts.indexOf(highest) * bucketMs;
  const peak =
    highest === 0
      ? 'none is due'
      : `the most within ${duration(bucketMs)}: ${count(highest)} ${peakMs === 0 ? 'now' : `in ${duration(peakMs)}`}`;
  const isComplete = completeUntil >= from + bucketMs * counts.length;
  const titleOf = (index: number): string =>
    `in ${duration(index * bucketMs)}: ${count(counts[index] ?? 0)} runs in ${duration(bucketMs)}`;
  return (
    <figure class="due">
      <figcaption>
        <h2>{title}</h2>
        {`${isComplete ? '' : 'at least '}${count(total)} runs; ${peak}. Before: ${count(before.count)}, after: ${count(after.count)}.`}
      </figcaption>
      <Bars label={`${title}: ${count(total)} runs, ${peak}`} counts={counts} titleOf={titleOf} />
      <p class="ends">
        <span>now</span> <span>{duration((bucketMs * counts.length) / 2)}</span>{' '}
        <span>{duration(bucketMs * counts.length)}</span>
      </p>
    </figure>
  );
}

function Attempts({ lanes }: { lanes: readonly LaneAttempts[] }): VNode {
  const highest = Math.max(1, ...lanes.flatMap(({ counts }) => counts.map(({ attempt }) => attempt)));
  const shown = Math.min(highest, 10);
  const attemptColumns = Array.from({ length: shown }, (_, index): Column<LaneAttempts> => {
    const isLast = index + 1 === shown && highest > shown;
    const takes = (attempt: number): boolean => (isLast ? attempt > index : attempt === index + 1);
    const sumOf = ({ counts }: LaneAttempts): number =>
      counts.reduce((sum, { attempt, runs }) => sum + (takes(attempt) ? runs : 0), 0);
    return { title: `${index + 1}${isLast ? '+' : ''}`, isNumber: true, cell: (lane) => count(sumOf(lane)) };
  });
  const columns: readonly Column<LaneAttempts>[] = [
    { title: 'about to start attempt', cell: ({ task, version }) => <bdi>{`${task} ${version}`}</bdi> },
    ...attemptColumns,
    {
      title: 'looked at',
      isNumber: true,
      cell: ({ searched, isComplete }) => `${count(searched)}${isComplete ? '' : ', not all'}`,
    },
  ];
  return <Table caption="Runs by attempt" rows={lanes} keyOf={({ lane }) => lane} columns={columns} />;
}
