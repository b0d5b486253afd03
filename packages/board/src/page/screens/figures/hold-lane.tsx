import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { TextField } from '../../controls/fields.tsx';
import { useSession } from '../../shell/session.ts';

/** Puts a lane on hold with a reason, or resumes it. */
export function HoldLane({ lane, isHeld }: { lane: string; isHeld: boolean }): VNode {
  const { client, visitor } = useSession();
  const [reason, setReason] = useState<string | undefined>();
  const [said, setSaid] = useState('');
  const show = (asked: Promise<{ readonly answer: string }>): void => {
    setReason(undefined);
    asked.then(
      ({ answer }) => setSaid(answer),
      (error: Error) => setSaid(error.message),
    );
  };
  if (!visitor.rights.hold) return <span class="quiet">{isHeld ? 'on hold' : ''}</span>;
  if (reason !== undefined) {
    return (
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          show(client.post('lanes/hold', { lane, reason }));
        }}
      >
        <TextField label="reason" value={reason} isFocused onChange={setReason} />
        <button type="submit" disabled={reason === ''}>
          Hold
        </button>
      </form>
    );
  }
  const resume = (): void => show(client.post('lanes/resume', { lane }));
  return (
    <>
      <button type="button" onClick={isHeld ? resume : () => setReason('')}>
        {isHeld ? 'Resume' : 'Hold …'}
      </button>{' '}
      <span role="status">{said}</span>
    </>
  );
}
