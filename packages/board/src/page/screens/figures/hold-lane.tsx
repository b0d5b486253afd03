import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { TextField } from '../../controls/fields.tsx';
import { useSession } from '../../shell/session.ts';

/** Puts a lane on hold, with a reason. */
export function HoldLane({ lane, isHeld }: { lane: string; isHeld: boolean }): VNode {
  const { client, visitor } = useSession();
  const [reason, setReason] = useState<string | undefined>();
  const [said, setSaid] = useState('');
  if (isHeld || !visitor.rights.hold) return <span class="quiet">{isHeld ? 'on hold' : ''}</span>;
  if (reason === undefined) {
    return (
      <>
        <button type="button" data-row onClick={() => setReason('')}>
          Hold …
        </button>{' '}
        <span role="status">{said}</span>
      </>
    );
  }
  const hold = (event: Event): void => {
    event.preventDefault();
    setReason(undefined);
    client.post('lanes/hold', { lane, reason }).then(
      ({ answer }) => setSaid(answer),
      (error: Error) => setSaid(error.message),
    );
  };
  return (
    <form class="row" onSubmit={hold}>
      <TextField label="reason" value={reason} isFocused onChange={setReason} />
      <button type="submit" disabled={reason === ''}>
        Hold
      </button>
    </form>
  );
}

/** Ends the holds of a lane, or that of all lanes. */
export function Resume({ lane }: { lane: string | undefined }): VNode | null {
  const { client, visitor } = useSession();
  const [said, setSaid] = useState('');
  if (!visitor.rights.hold) return null;
  const resume = (): void => {
    client.post('lanes/resume', lane === undefined ? { all: true } : { lane }).then(
      ({ answer }) => setSaid(answer),
      (error: Error) => setSaid(error.message),
    );
  };
  return (
    <>
      <button type="button" data-row onClick={resume}>
        Resume
      </button>{' '}
      <span role="status">{said}</span>
    </>
  );
}
