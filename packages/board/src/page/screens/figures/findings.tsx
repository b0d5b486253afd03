import type { Hold } from '@retry/core/broker';
import type { Finding } from '@retry/worker';
import type { ComponentChildren, VNode } from 'preact';
import { count, duration, percent } from '../../charts/figures.ts';
import { type Column, Table } from '../../controls/table.tsx';
import { Instant } from '../../shell/instants.tsx';
import { linkTo } from '../../shell/route.ts';
import { Resume } from './hold-lane.tsx';

interface FindingsProps {
  readonly findings: readonly Finding[];
  /** What is said where there is none. */
  readonly none: ComponentChildren;
}

/** What is wrong, one entry for each cause, in the order in which a person should look at them. */
export function Findings({ findings, none }: FindingsProps): VNode {
  const entries = FIRST_TO_LAST.map((code) => findings.filter((each) => each.code === code)).filter(
    (found) => found.length > 0,
  );
  if (entries.length === 0) return <p class="all-well">{none}</p>;
  return (
    <ul class="findings-list" aria-label="Findings">
      {entries.map((found) => (
        <Entry key={found[0]?.code} found={found} />
      ))}
    </ul>
  );
}

/** How many subjects of one cause are named. */
const MAX_NAMED = 3;

function Entry({ found }: { found: readonly Finding[] }): VNode | null {
  const [first] = found;
  if (first === undefined) return null;
  const rest = found.length - MAX_NAMED;
  return (
    <li class={first.level}>
      <strong class="where">{first.level}</strong>
      <div>
        {found.slice(0, MAX_NAMED).map((each) => (
          <p key={`${each.lane} ${each.worker}`}>{WORDS[each.code].says(each)}</p>
        ))}
        {rest > 0 ? <p>{`and ${rest} more`}</p> : null}
        <p class="quiet">{WORDS[first.code].cure(first)}</p>
      </div>
    </li>
  );
}

interface Words {
  readonly says: (finding: Finding) => ComponentChildren;
  readonly cure: (finding: Finding) => ComponentChildren;
}

function linkOf({ lane, group }: Finding): string {
  return lane === undefined || group === undefined
    ? linkTo(['failures'])
    : linkTo(['failures', lane, group.id]);
}

function amountOf({ figure, isComplete }: Finding): string {
  return `${isComplete === false ? 'At least ' : ''}${count(figure)}`;
}

/** What each finding says on the board, where its cure is a screen away; the keys are in the order in which a person acts. */
const WORDS: Readonly<Record<Finding['code'], Words>> = {
  UNBALANCED: {
    says: ({ figure }) => `The audit is unbalanced by ${count(figure)}: runs were lost or counted twice.`,
    cure: () => 'Save the output of retry audit and report it.',
  },
  LANE_WITHOUT_WORKER: {
    says: (finding) => (
      <>
        {`${amountOf(finding)} ${finding.figure === 1 ? 'run is' : 'runs are'} due in lane `}
        <bdi>{finding.lane}</bdi>, which no live worker knows.
      </>
    ),
    cure: () => 'Start a worker that has this version of the task.',
  },
  MEMORY_NEARLY_FULL: {
    says: ({ figure }) =>
      `The server uses ${percent(figure)} of its memory; when it is full, it refuses submits.`,
    cure: () =>
      'Raise maxmemory, discard dead letters, or keep less of what has ended: keepCompleted and keepDead of the broker.',
  },
  EXPIRED_LEASES: {
    says: (finding) => `${amountOf(finding)} ${finding.figure === 1 ? 'lease has' : 'leases have'} expired.`,
    cure: () => 'Look for workers that crash or block: live ones take their runs over.',
  },
  MANY_LANES: {
    says: (finding) =>
      `${amountOf(finding)} lanes have runs, workers or holds: there may be more than these.`,
    cure: () => 'Start workers of old versions, or cancel their runs.',
  },
  RETRY_SHARE: {
    says: ({ figure, lane }) => (
      <>
        {`${percent(figure)} of the starts in lane `}
        <bdi>{lane}</bdi> are retries.
      </>
    ),
    cure: ({ threshold }) =>
      `From ${percent(threshold)} on they make an outage worse: hold the lane until its dependency answers, and give the task a circuit breaker.`,
  },
  DEAD_LETTERS_GROW: {
    says: ({ figure }) => `${count(Math.round(figure))} more dead letters each minute.`,
    cure: (finding) => (
      <>
        Look at <a href={linkOf(finding)}>what fails</a>, and hold the lane whose dependency is down.
      </>
    ),
  },
  DOMINANT_GROUP: {
    says: ({ figure, group }) => (
      <>
        {`${percent(figure)} of the dead letters have one cause: `}
        <bdi>{group?.title}</bdi>.
      </>
    ),
    cure: (finding) => (
      <>
        Mend it, then redrive <a href={linkOf(finding)}>its group</a>.
      </>
    ),
  },
  OLDEST_AGE: {
    says: ({ figure, lane }) => (
      <>
        The next run of lane <bdi>{lane}</bdi>
        {` has been claimable for ${duration(figure)}.`}
      </>
    ),
    cure: () => 'Start more workers, or raise their concurrency.',
  },
  LATE_STARTS: {
    says: ({ figure, lane }) => (
      <>
        A run of lane <bdi>{lane}</bdi>
        {` has started ${duration(figure)} late.`}
      </>
    ),
    cure: () => 'lateBecause of its started event names the obstacle.',
  },
  EVENT_LOOP_LAG: {
    says: ({ figure, worker }) => (
      <>
        Timers of worker <bdi>{worker}</bdi>
        {` fire ${duration(figure)} late.`}
      </>
    ),
    cure: () => 'Move long computations of its handlers to threads, or lower its concurrency.',
  },
  LANE_ON_HOLD: {
    says: ({ figure, lane }) => (
      <>
        {lane === undefined ? 'All lanes have ' : 'Lane '}
        {lane === undefined ? null : <bdi>{lane}</bdi>}
        {`${lane === undefined ? '' : ' has'} been on hold for ${duration(figure)}.`}
      </>
    ),
    cure: () => 'Resume it, below, when the reason has passed.',
  },
};

const FIRST_TO_LAST = Object.keys(WORDS) as readonly Finding['code'][]; // its own keys

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
