import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { AttemptRow, RunAnswer } from '../../../api.ts';
import { Said, useAsking } from '../../controls/asking.tsx';
import { TextField } from '../../controls/fields.tsx';
import { isMaskedError } from '../../controls/shown.tsx';
import { useSession } from '../../shell/session.ts';

interface UnmaskProps {
  /** The run as it is shown now. */
  readonly answer: RunAnswer;
  /** Whether the visitor has asked for it as it is stored. */
  readonly isUnmasked: boolean;
  /** Takes the run as it is stored, or nothing: it is to be masked again. */
  readonly show: (unmasked: RunAnswer | undefined) => void;
}

/** Says that parts are masked; shows them, for a reason, to a visitor with the right. */
export function Unmask({ answer, isUnmasked, show }: UnmaskProps): VNode | null {
  const { rights } = useSession().visitor;
  const isMasked = hasMaskedPart(answer);
  if (isMasked && !rights.unmask) {
    return <p class="quiet">Parts of this run are masked. To see them, you need the right unmask.</p>;
  }
  return (
    <>
      {isMasked ? <UnmaskForm id={answer.run.id} show={show} /> : null}
      {isUnmasked ? (
        <p class="row">
          <span>Shown as it is stored, without the mask.</span>
          <button type="button" onClick={() => show(undefined)}>
            Mask again
          </button>
        </p>
      ) : null}
    </>
  );
}

function UnmaskForm({ id, show }: { id: string; show: UnmaskProps['show'] }): VNode {
  const { client } = useSession();
  const [reason, setReason] = useState('');
  const asking = useAsking();
  const submit = (event: Event): void => {
    event.preventDefault();
    asking.ask(
      () => client.post('runs/:id/unmask', { reason }, { params: { id } }),
      (answer) => {
        setReason('');
        show(answer);
      },
    );
  };
  return (
    <details>
      <summary>Parts of this run are masked: see them</summary>
      <form class="row" onSubmit={submit}>
        <TextField label="reason, recorded with your look" value={reason} onChange={setReason} />
        <button type="submit" disabled={reason === '' || asking.isUnderWay}>
          Unmask
        </button>
        <Said of={asking} />
      </form>
    </details>
  );
}

/** Returns the latest answer, with what is masked in it as it is stored. */
export function unmaskedIn(latest: RunAnswer, unmasked: RunAnswer | undefined): RunAnswer {
  if (unmasked === undefined) return latest;
  const { payload, result } = unmasked.run;
  return {
    ...latest,
    run: {
      ...latest.run,
      ...(latest.run.payload && payload && { payload }),
      ...(latest.run.result && result && { result }),
    },
    attempts: latest.attempts.map((row) => unmaskedRow(row, unmasked.attempts)),
  };
}

function unmaskedRow(row: AttemptRow, stored: readonly AttemptRow[]): AttemptRow {
  const same = stored.find(({ at, attempt }) => at === row.at && attempt === row.attempt);
  return row.error === undefined || same?.error === undefined ? row : { ...row, error: same.error };
}

function hasMaskedPart({ run: { payload, result }, attempts }: RunAnswer): boolean {
  if (payload?.isMasked === true || result?.isMasked === true) return true;
  return attempts.some(({ error }) => error !== undefined && isMaskedError(error));
}
