import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { GroupAnswer, GroupRow } from '../../../api.ts';
import { useLive } from '../../api/loaded.ts';
import { Bars } from '../../charts/bars.tsx';
import { count } from '../../charts/figures.ts';
import { CopyButton } from '../../controls/copy-button.tsx';
import { FigureList } from '../../controls/figure-list.tsx';
import { RunTable } from '../../controls/run-table.tsx';
import { ErrorView, isMaskedError } from '../../controls/shown.tsx';
import { Empty, Ready } from '../../controls/states.tsx';
import { Heading } from '../../shell/heading.tsx';
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

/** A group that was redriven stays, with what is done to it, until the page is left. */
function GroupView({ answer, reload }: { answer: GroupAnswer; reload: () => void }): VNode {
  const known = useRef(answer.group);
  known.current = answer.group ?? known.current;
  const group = known.current;
  if (group === undefined) {
    return (
      <>
        <Heading>Error group</Heading>
        <Empty>{GONE}</Empty>
      </>
    );
  }
  return (
    <>
      <Heading>{group.title}</Heading>
      {answer.group === undefined ? <Empty>{GONE}</Empty> : <GroupFigures group={group} />}
      <Acts group={group} answer={answer} reload={reload} />
      {answer.group === undefined ? null : <Members group={group} answer={answer} />}
    </>
  );
}

const GONE = 'This group has no dead letter any more: they were redriven, discarded or forgotten.';

function Members({ group, answer }: { group: GroupRow; answer: GroupAnswer }): VNode {
  const { runs, sample, next } = answer;
  return (
    <>
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
      <FigureList of={figures} />
      {trend === undefined ? null : (
        <>
          <Bars label={`trend: ${trend.counts.join(', ')}`} counts={trend.counts} />
          <p class="ends">
            <Instant at={trend.from} /> <Instant at={Math.min(trend.to, lastSeenAt)} />
          </p>
        </>
      )}
    </>
  );
}

interface ActsProps {
  readonly group: GroupRow;
  readonly answer: GroupAnswer;
  readonly reload: () => void;
}

function Acts({ group, answer: { command, state }, reload }: ActsProps): VNode {
  const { rights } = useSession().visitor;
  const [kind, setKind] = useState<PanelProps['kind'] | undefined>();
  const close = (): void => {
    setKind(undefined);
    reload();
  };
  return (
    <>
      <div class="row">
        <button
          type="button"
          data-key="r"
          disabled={!rights.redrive}
          title={needs(rights.redrive, 'redrive')}
          onClick={() => setKind('redrive')}
        >
          Plan a redrive
        </button>
        <button
          type="button"
          data-key="d"
          disabled={!rights.discard}
          title={needs(rights.discard, 'discard')}
          onClick={() => setKind('discard')}
        >
          Plan a discard
        </button>
        <button type="button" data-key="t" onClick={() => setKind('replay')}>
          Replay another policy
        </button>
        <CopyButton label="Copy as command" text={command} keyName="c" />
        {rights.redrive || rights.discard ? null : <span class="quiet">You may only read here.</span>}
      </div>
      {kind === undefined ? null : <Panel kind={kind} group={group} state={state} close={close} />}
    </>
  );
}

interface PanelProps extends Pick<GroupAnswer, 'state'> {
  readonly kind: 'redrive' | 'discard' | 'replay';
  readonly group: GroupRow;
  readonly close: () => void;
}

function Panel({ kind, group, state, close }: PanelProps): VNode {
  if (kind === 'replay') return <Replay group={group} close={close} />;
  const { id, task, version } = group;
  return <PlanView key={kind} kind={kind} filter={{ group: id, task, version, state }} close={close} />;
}

/** Why a button is disabled. */
function needs(isGranted: boolean, right: string): string | undefined {
  return isGranted ? undefined : `It needs the right ${right}.`;
}
