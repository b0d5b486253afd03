import type { Operation } from '@retry/core/broker';
import type { VNode } from 'preact';
import type { ActsAnswer } from '../../../api.ts';
import { useLive } from '../../api/loaded.ts';
import { Share } from '../../charts/bars.tsx';
import { count } from '../../charts/figures.ts';
import { ActTable } from '../../controls/act-table.tsx';
import { Said, useAsking } from '../../controls/asking.tsx';
import { Empty, Ready } from '../../controls/states.tsx';
import { type Column, Table } from '../../controls/table.tsx';
import { Heading } from '../../shell/heading.tsx';
import { Instant } from '../../shell/instants.tsx';
import { useSession } from '../../shell/session.ts';

/** Redrives and discards: who, when, why, and how far they are. */
export function Operations(): VNode {
  return (
    <>
      <Heading>Operations</Heading>
      <Ready of={useLive('operations')}>
        {({ operations, acts }) => (
          <>
            {operations.length === 0 ? (
              <Empty>No operation yet. Plan a redrive or a discard in an error group.</Empty>
            ) : (
              <Table caption="Operations" rows={operations} keyOf={({ id }) => id} columns={COLUMNS} />
            )}
            <LatestActs answer={acts} />
          </>
        )}
      </Ready>
    </>
  );
}

function LatestActs({ answer: { acts, since, limit } }: { answer: ActsAnswer }): VNode {
  return (
    <section aria-labelledby="acts">
      <h2 id="acts">Acts</h2>
      <p class="lead">
        {`What visitors of this board did since it began, `}
        <Instant at={since} />
        {`: the latest ${limit} at most. Another board of this queue has its own.`}
      </p>
      {acts.length === 0 ? <Empty>None yet.</Empty> : <ActTable caption="Acts" acts={acts} />}
    </section>
  );
}

/** One operation, while it goes on. */
export function WatchOperation({ id, close }: { id: string; close: () => void }): VNode {
  return (
    <Ready of={useLive('operations')}>
      {({ operations }) => {
        const operation = operations.find((each) => each.id === id);
        return (
          <>
            {operation === undefined ? (
              <p class="quiet">It was applied; its figures come soon.</p>
            ) : (
              <Progress operation={operation} />
            )}
            <button type="button" onClick={close} data-key="u">
              Close
            </button>
          </>
        );
      }}
    </Ready>
  );
}

function Progress({ operation }: { operation: Operation }): VNode {
  const { state, done, skipped, planned: total } = operation;
  return (
    <p role="status">
      <Share share={total === 0 ? 1 : (done + skipped) / total} />{' '}
      {`${state}: ${count(done)} of ${count(total)}${skipped === 0 ? '' : `, ${count(skipped)} had changed`}`}{' '}
      <OperationActs operation={operation} />
    </p>
  );
}

const COLUMNS: readonly Column<Operation>[] = [
  { title: 'kind', cell: ({ kind }) => kind },
  { title: 'progress', cell: (operation) => <Progress operation={operation} /> },
  { title: 'who', cell: ({ by }) => <bdi>{by}</bdi> },
  { title: 'why', cell: ({ reason }) => <bdi>{reason}</bdi> },
  { title: 'applied', cell: ({ createdAt }) => <Instant at={createdAt} /> },
  { title: 'ended', cell: ({ endedAt }) => <Instant at={endedAt} /> },
];

function OperationActs({ operation: { id, state, kind } }: { operation: Operation }): VNode | null {
  const { client, visitor } = useSession();
  const asking = useAsking();
  if (state === 'done' || state === 'cancelled' || !visitor.rights[kind]) return null;
  const change = (to: 'pause' | 'resume' | 'cancel') => () => {
    asking.ask(
      () => client.post(`operations/:id/${to}`, {}, { params: { id } }),
      ({ answer }) => (answer === 'changed' ? '' : `not done: ${answer}`),
    );
  };
  return (
    <>
      <button
        type="button"
        data-row
        disabled={asking.isUnderWay}
        onClick={change(state === 'paused' ? 'resume' : 'pause')}
      >
        {state === 'paused' ? 'Resume' : 'Pause'}
      </button>{' '}
      <button type="button" disabled={asking.isUnderWay} onClick={change('cancel')}>
        Cancel
      </button>{' '}
      <Said of={asking} />
    </>
  );
}
