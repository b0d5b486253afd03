import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { RunActAnswer, ShownRun, ShownText } from '../../../api.ts';
import { useSession } from '../../shell/session.ts';

interface ResubmitProps {
  readonly run: ShownRun;
  readonly reason: string;
  readonly isUnderWay: boolean;
  readonly perform: (act: () => Promise<RunActAnswer>) => void;
}

/** The payload, to be edited and submitted as a new run; not where it is shown cut or masked. Unchanged, it is submitted as it is stored. */
export function Resubmit({ run, reason, isUnderWay, perform }: ResubmitProps): VNode | null {
  const { client, visitor } = useSession();
  const { text = '', isCut, isMasked }: Partial<ShownText> = run.payload ?? {};
  const [payload, setPayload] = useState(text);
  if (!visitor.rights.edit) return null;
  const submit = (): void => {
    const body = { ...(payload !== text && { payload }), ...(reason !== '' && { reason }) };
    perform(() => client.post('runs/:id/resubmit', body, { params: { id: run.id } }));
  };
  return (
    <details>
      <summary data-key="e">Submit once more, as a new run</summary>
      {isCut || isMasked ? (
        <p class="quiet">The payload is shown cut or masked, so it is submitted as it is.</p>
      ) : (
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
      )}
      <button type="button" disabled={isUnderWay} onClick={submit}>
        Submit
      </button>
    </details>
  );
}
