import type { DeadLetterState } from '@retry/core/lifecycle';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Act, Right, RunActAnswer, ShownRun } from '../../../api.ts';
import type { Client } from '../../api/client.ts';
import { ActTable } from '../../controls/act-table.tsx';
import { Said, useAsking } from '../../controls/asking.tsx';
import { TextField } from '../../controls/fields.tsx';
import { linkTo } from '../../shell/route.ts';
import { useSession } from '../../shell/session.ts';
import { Resubmit } from './resubmit.tsx';

interface PossibleAct {
  readonly label: string;
  readonly key: string;
  readonly right: Right;
  readonly states: readonly string[];
  readonly run: (client: Client, id: string, reason: string) => Promise<RunActAnswer>;
}

/** Written out: core derives them from the table of all moves, which is half a kilobyte of the page. */
const DEAD = Object.keys({ failed: 0, stalled: 0, rateLimited: 0 } satisfies Record<DeadLetterState, 0>);
const WAITING = ['submitted', 'scheduled'];

const ACTS: readonly PossibleAct[] = [
  { label: 'Run now', key: 'n', right: 'edit', states: WAITING, run: actBy('run-now') },
  { label: 'Cancel', key: 'x', right: 'cancel', states: [...WAITING, 'started'], run: actBy('cancel') },
  { label: 'Redrive', key: 'r', right: 'redrive', states: DEAD, run: actBy('redrive') },
  { label: 'Discard', key: 'd', right: 'discard', states: DEAD, run: actBy('discard') },
];

function actBy(path: 'run-now' | 'cancel' | 'redrive' | 'discard'): PossibleAct['run'] {
  return (client, id, reason) =>
    client.post(`runs/:id/${path}`, reason === '' ? {} : { reason }, { params: { id } });
}

/** A run, and what acts on it call. */
export interface RunActsProps {
  readonly run: ShownRun;
  /** What was done with it. */
  readonly acts: readonly Act[];
  /** Then there is nothing left to act on. */
  readonly isDiscarded: boolean;
  readonly discard: () => void;
  readonly reload: () => void;
}

/** What may be done with a run in its state, by this visitor, and what visitors have done with it. */
export function RunActs({ run, acts: done, isDiscarded, discard, reload }: RunActsProps): VNode {
  const { client, visitor } = useSession();
  const [reason, setReason] = useState('');
  const asking = useAsking();
  const isUnderWay = asking.isUnderWay || isDiscarded;
  const perform = (act: () => Promise<RunActAnswer>): void => {
    asking.ask(act, (answer) => {
      if (answer.answer === 'discarded') discard();
      else reload();
      return answerText(answer);
    });
  };
  const acts = ACTS.filter(({ states }) => states.includes(run.state));
  return (
    <section aria-labelledby="acts">
      <h2 id="acts">Acts</h2>
      <div class="row">
        <TextField label="reason" value={reason} keyName="w" onChange={setReason} />
        {acts.map(({ label, key, right, run: act }) => (
          <button
            key={label}
            type="button"
            data-key={key}
            data-waits
            disabled={isUnderWay || !visitor.rights[right]}
            title={visitor.rights[right] ? undefined : `It needs the right ${right}.`}
            onClick={() => perform(() => act(client, run.id, reason))}
          >
            {label}
          </button>
        ))}
        {WAITING.includes(run.state) ? <Reschedule id={run.id} {...{ reason, isUnderWay, perform }} /> : null}
        <Said of={asking} />
      </div>
      <Resubmit key={String(run.payload?.isMasked)} run={run} {...{ reason, isUnderWay, perform }} />
      {done.length === 0 ? null : <ActTable caption="Acts on this run" acts={done} />}
    </section>
  );
}

interface RescheduleProps {
  readonly id: string;
  readonly reason: string;
  readonly isUnderWay: boolean;
  readonly perform: (act: () => Promise<RunActAnswer>) => void;
}

function Reschedule({ id, reason, isUnderWay, perform }: RescheduleProps): VNode {
  const { client, visitor } = useSession();
  const [delay, setDelay] = useState('10m');
  const submit = (event: Event): void => {
    event.preventDefault();
    const body = { delay, ...(reason !== '' && { reason }) };
    perform(() => client.post('runs/:id/reschedule', body, { params: { id } }));
  };
  return (
    <form class="contents" onSubmit={submit}>
      <TextField label="start in" value={delay} keyName="s" onChange={setDelay} />
      <button type="submit" disabled={isUnderWay || !visitor.rights.edit}>
        Reschedule
      </button>
    </form>
  );
}

function answerText(answer: RunActAnswer): VNode | string {
  if (!('id' in answer)) return answer.answer;
  return (
    <>
      submitted: <a href={linkTo(['runs', answer.id])}>{answer.id}</a>
    </>
  );
}
