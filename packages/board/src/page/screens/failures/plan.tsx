import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { PlanAnswer, PlanFilter } from '../../../api.ts';
import { useLive, useLoaded } from '../../api/loaded.ts';
import { count, duration } from '../../charts/figures.ts';
import { Ready } from '../../controls/states.tsx';
import { WatchOperation } from '../figures/operations.tsx';
import { ApplyForm, type Speed } from './apply-form.tsx';

interface PlanProps {
  readonly kind: 'redrive' | 'discard';
  readonly filter: PlanFilter;
  /** How fast, unless the visitor chooses otherwise. @default 'rate' */
  readonly speed?: Speed;
  readonly close: () => void;
}

/** What a redrive or a discard would do, and, once it is applied, what it does. */
export function PlanView({ kind, filter, speed, close }: PlanProps): VNode {
  const found = useLoaded(JSON.stringify(filter), (client) => client.post('plans', filter));
  const [applied, setApplied] = useState<string | undefined>();
  return (
    <section class="panel" aria-labelledby="plan">
      <h2 id="plan">{kind === 'redrive' ? 'Plan a redrive' : 'Plan a discard'}</h2>
      <Ready of={found}>
        {(plan) =>
          applied === undefined ? (
            <>
              <PlanText plan={plan} kind={kind} />
              <ApplyForm plan={plan} kind={kind} first={speed} onApplied={setApplied} close={close} />
            </>
          ) : (
            <>
              <WatchOperation id={applied} close={close} />
              {kind === 'redrive' ? <DeadNow filter={filter} /> : null}
            </>
          )
        }
      </Ready>
    </section>
  );
}

/** How many of what was redriven are dead letters now: again, or anew. */
function DeadNow({ filter: { task = '', version = '', group = '' } }: Pick<PlanProps, 'filter'>): VNode {
  const { data } = useLive('groups', { query: { task, version, limit: '1000' } });
  const dead =
    group === '' ? data?.deadLetters : (data?.groups.find(({ id }) => id === group)?.count ?? (data && 0));
  return (
    <p role="status">
      {dead === undefined
        ? 'Counting …'
        : `${dead === 0 ? 'None is a dead letter' : `${count(dead)} are dead letters`} now: `}
      <span class="quiet">those that wait, failed again, or failed anew.</span>
    </p>
  );
}

function PlanText({ plan, kind }: { plan: PlanAnswer; kind: PlanProps['kind'] }): VNode {
  const { isComplete, load, tasks } = plan;
  if (plan.count === 0) return <p>There is no such dead letter.</p>;
  const amount = `${isComplete ? '' : 'At least '}${count(plan.count)} dead letters`;
  if (kind === 'discard') return <p>{amount} will be deleted for good. They cannot be brought back.</p>;
  const attempts =
    load.maxAttempts === undefined ? '' : `, at most ${count(load.maxAttempts)} attempts if each fails`;
  const now =
    load.startsPerSecond === undefined
      ? ''
      : ` These lanes start ${load.startsPerSecond.toFixed(1)} attempts a second now.`;
  return (
    <>
      <p>{`${amount} run again${attempts}.${now}`}</p>
      <ul class="sentences">
        {tasks.map(({ task, version, count: runs, deadAgainAfterMs }) => (
          <li key={`${task} ${version}`}>
            <bdi>{`${task} ${version}`}</bdi>
            {`: ${count(runs)}`}
            {deadAgainAfterMs === undefined
              ? ''
              : `; one that fails each time is dead again after ${duration(deadAgainAfterMs)} at most`}
          </li>
        ))}
      </ul>
    </>
  );
}
