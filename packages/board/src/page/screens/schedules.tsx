import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ScheduleRow } from '../../api.ts';
import { useLive } from '../api/loaded.ts';
import { duration } from '../charts/figures.ts';
import { Said, useAsking } from '../controls/asking.tsx';
import { Empty, Ready } from '../controls/states.tsx';
import { type Column, Table } from '../controls/table.tsx';
import { Heading } from '../shell/heading.tsx';
import { Instant } from '../shell/instants.tsx';
import { linkTo } from '../shell/route.ts';
import { useSession } from '../shell/session.ts';

/** What is submitted again and again: when it fires next, and when it fired last. */
export function Schedules({ after }: { after: string }): VNode {
  return (
    <>
      <Heading>Schedules</Heading>
      <Ready of={useLive('schedules', { query: { after } })}>
        {({ schedules, unreadable = [], next }) => (
          <>
            {unreadable.map((id) => (
              <p key={id}>
                <bdi>{id}</bdi> cannot be read. <Remove id={id} />
              </p>
            ))}
            {schedules.length === 0 ? (
              unreadable.length === 0 && <Empty>No schedule. A program makes them by queue.schedule.</Empty>
            ) : (
              <Table caption="Schedules" rows={schedules} keyOf={({ id }) => id} columns={COLUMNS} />
            )}
            {next === undefined ? null : <a href={linkTo(['schedules'], { after: next })}>Next page</a>}
          </>
        )}
      </Ready>
    </>
  );
}

const COLUMNS: readonly Column<ScheduleRow>[] = [
  { title: 'schedule', cell: ({ id }) => <bdi>{id}</bdi> },
  { title: 'task', cell: ({ task, version }) => <bdi>{`${task} ${version}`}</bdi> },
  { title: 'when', cell: (schedule) => <bdi>{whenOf(schedule)}</bdi> },
  {
    title: 'next',
    cell: ({ nextAt }) => (nextAt === undefined ? 'never again' : <Instant at={nextAt} />),
  },
  {
    title: 'last',
    cell: ({ lastAt, lastRunId }) =>
      lastRunId === undefined ? null : (
        <a data-row href={linkTo(['runs', lastRunId])}>
          <Instant at={lastAt} />
        </a>
      ),
  },
  { title: 'remove', cell: ({ id }) => <Remove id={id} /> },
];

function whenOf({ cron, timeZone, everyMs = 0 }: ScheduleRow): string {
  return cron === undefined ? `every ${duration(everyMs)}` : `${cron} ${timeZone}`;
}

/** The first press asks, the second one removes. */
function Remove({ id }: { id: string }): VNode | null {
  const { client, visitor } = useSession();
  const [isAsked, setAsked] = useState(false);
  const asking = useAsking();
  if (!visitor.rights.edit) return null;
  const remove = (): void => {
    asking.ask(
      () => client.post('schedules/:id/remove', {}, { params: { id } }),
      ({ answer }) => (answer === 'removed' ? '' : `not done: ${answer}`),
    );
  };
  if (!isAsked) {
    return (
      <button type="button" onClick={() => setAsked(true)}>
        Remove
      </button>
    );
  }
  return (
    <>
      <button type="button" disabled={asking.isUnderWay} onClick={remove}>
        Remove for good
      </button>{' '}
      <button type="button" onClick={() => setAsked(false)}>
        Keep
      </button>{' '}
      <Said of={asking} />
    </>
  );
}
