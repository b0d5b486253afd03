import type { Hold } from '@retry/core/broker';
import type { Finding } from '@retry/worker';
import type { VNode } from 'preact';
import { type Column, Table } from '../../controls/table.tsx';
import { Instant } from '../../shell/instants.tsx';
import { Resume } from './hold-lane.tsx';

/** What is wrong with the queue, and what to do about each. */
export function Findings({ findings }: { findings: readonly Finding[] }): VNode {
  if (findings.length === 0) return <p class="good">Nothing is above its threshold.</p>;
  return (
    <ul class="sentences">
      {findings.map(({ code, level, sentence, cure, task, version }) => (
        <li key={`${code} ${task} ${version}`} class={level === 'critical' ? 'error' : 'warning'}>
          <strong class="where">{level}</strong> <bdi>{sentence}</bdi> <span class="quiet">{cure}</span>
        </li>
      ))}
    </ul>
  );
}

/** The pauses of lanes: by whom or what, why, and until when. */
export function Holds({ holds }: { holds: readonly Hold[] }): VNode | null {
  if (holds.length === 0) return null;
  return (
    <section aria-labelledby="holds">
      <h2 id="holds">Holds</h2>
      <Table
        caption="Holds"
        rows={holds}
        keyOf={({ lane, source, heldAt }) => `${lane} ${source} ${heldAt}`}
        columns={HOLDS}
      />
    </section>
  );
}

const HOLDS: readonly Column<Hold>[] = [
  { title: 'lane', cell: ({ lane }) => <bdi>{lane ?? 'all lanes'}</bdi> },
  { title: 'cause', cell: ({ source }) => source.replace('-', ' ') },
  { title: 'by', cell: ({ by }) => <bdi>{by}</bdi> },
  { title: 'why', cell: ({ reason }) => <bdi>{reason}</bdi> },
  { title: 'since', cell: ({ heldAt }) => <Instant at={heldAt} /> },
  {
    title: 'ends',
    cell: ({ until, probeMs }) => (
      <>
        {probeMs === undefined ? '' : 'when a probe succeeds, the next one is let through '}
        {until === undefined ? 'when it is resumed' : <Instant at={until} />}
      </>
    ),
  },
  { title: 'resume', cell: ({ lane }) => <Resume lane={lane} /> },
];
