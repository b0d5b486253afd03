import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { GroupAnswer, GroupRow } from '../../../api.ts';
import { useLive } from '../../api/loaded.ts';
import { Bars } from '../../charts/bars.tsx';
import { count } from '../../charts/figures.ts';
import { CopyButton } from '../../controls/copy-button.tsx';
import { RunTable } from '../../controls/run-table.tsx';
import { ErrorView, isMaskedError } from '../../controls/shown.tsx';
import { Empty, Ready } from '../../controls/states.tsx';
import { Instant } from '../../shell/instants.tsx';
import { linkTo } from '../../shell/route.ts';
import { useSession } from '../../shell/session.ts';
import { PlanView } from './plan.tsx';
import { Replay } from './replay.tsx';

/** One error group: what it is, what it is made of, and what to do about it. */
export function Group({ lane, id, after }: { lane: string; id: string; after: string }): VNode {
  const found = useLive('groups/:lane/:id', { params: { lane, id }, query: { after } });
  return (
    <>
      <p>
        <a href={linkTo(['failures'])} data-key="u">
          Failures
        </a>
      </p>
      <Ready of={found}>{(answer) => <GroupView answer={answer} reload={found.reload} />}</Ready>
    </>
  );
}

function GroupView({ answer, reload }: { answer: GroupAnswer; reload: () => void }): VNode {
  const { group, runs, sample, next, command } = answer;
  if (group === undefined) {
    return <Empty>This group has no dead letter any more: they were redriven, discarded or forgotten.</Empty>;
  }
  return (
    <>
      <h1 dir="auto">{group.title}</h1>
      <GroupFigures group={group} />
      <Acts group={group} command={command} reload={reload} />
      {sample === undefined ? null : (
        <section aria-labelledby="sample">
          <h2 id="sample">
            Latest error, of <a href={linkTo(['runs', sample.runId])}>{sample.runId}</a>
          </h2>
          <ErrorView error={sample.error} />
          {isMaskedError(sample.error) ? (
            <p class="quiet">Parts are masked. The run shows them to visitors with the right unmask.</p>
          ) : null}
        </section>
      )}
      <Replay lane={group.lane} group={group.id} />
      <section aria-labelledby="runs">
        <h2 id="runs">Runs</h2>
        <RunTable runs={runs} />
        {next === undefined ? null : (
          <a href={linkTo(['failures', group.lane, group.id], { after: next })}>More runs</a>
        )}
      </section>
    </>
  );
}

function GroupFigures({ group }: { group: GroupRow }): VNode {
  const { task, version, attempts, firstSeenAt, lastSeenAt, trend } = group;
  const figures = [
    ['task', `${task} ${version}`],
    ['dead letters', count(group.count)],
    ['attempts spent', count(attempts)],
    ['first seen', <Instant key="first" at={firstSeenAt} />],
    ['last seen', <Instant key="last" at={lastSeenAt} />],
  ] as const;
  return (
    <>
      <dl class="figures">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
      {trend === undefined ? null : (
        <Bars label={`trend: ${trend.counts.join(', ')}`} counts={trend.counts} />
      )}
    </>
  );
}

interface ActsProps {
  readonly group: GroupRow;
  readonly command: string;
  readonly reload: () => void;
}

function Acts({ group, command, reload }: ActsProps): VNode {
  const { rights } = useSession().visitor;
  const [kind, setKind] = useState<'redrive' | 'discard' | undefined>();
  return (
    <>
      <div class="row">
        <button type="button" data-key="r" disabled={!rights.redrive} onClick={() => setKind('redrive')}>
          Plan a redrive
        </button>
        <button type="button" data-key="d" disabled={!rights.discard} onClick={() => setKind('discard')}>
          Plan a discard
        </button>
        <CopyButton label="Copy as command" text={command} />
        {rights.redrive || rights.discard ? null : <span class="quiet">You may only read here.</span>}
      </div>
      {kind === undefined ? null : (
        <PlanView
          key={kind}
          kind={kind}
          filter={{ group: group.id, task: group.task, version: group.version }}
          close={() => {
            setKind(undefined);
            reload();
          }}
        />
      )}
    </>
  );
}
