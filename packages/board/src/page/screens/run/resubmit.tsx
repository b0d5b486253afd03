import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { RunActAnswer, ShownRun } from '../../../api.ts';
import { useSession } from '../../shell/session.ts';

interface ResubmitProps {
  readonly run: ShownRun;
  readonly reason: string;
  readonly isUnderWay: boolean;
  readonly perform: (act: () => Promise<RunActAnswer>) => void;
}

/** The payload, to be edited and submitted as a new run; not where it is shown cut or masked. */
export function Resubmit({ run, reason, isUnderWay, perform }: ResubmitProps): VNode | null {
  const { client, visitor } = useSession();
  const shown = run.payload;
  const [payload, setPayload] = useState(shown?.text ?? 'null');
  if (!visitor.rights.edit) return null;
  const isWhole = shown === undefined || !(shown.isCut || shown.isMasked);
  const submit = (): void => {
    const body = { ...(isWhole && { payload }), ...(reason !== '' && { reason }) };
    perform(() => client.post('runs/:id/resubmit', body, { params: { id: run.id } }));
  };
  return (
    <details>
      <summary data-key="e">Submit once more, as a new run</summary>
      {isWhole ? (
        <label>
          <span>payload, as JSON</span>
          <textarea
            class="payload"
            rows={8}
            spellcheck={false}
            value={payload}
            onInput={({ currentTarget }) => setPayload(currentTarget.value)}
          />
        </label>
      ) : (
        <p class="quiet">The payload is shown cut or masked, so it is submitted as it is.</p>
      )}
      <button type="button" disabled={isUnderWay} onClick={submit}>
        Submit
      </button>
    </details>
  );
}
