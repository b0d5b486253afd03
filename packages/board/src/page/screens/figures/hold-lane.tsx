import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Said, useAsking } from '../../controls/asking.tsx';
import { SelectField, TextField } from '../../controls/fields.tsx';
import { useSession } from '../../shell/session.ts';

/** Puts a lane on hold, with a reason. */
export function HoldLane({ lane, isHeld }: { lane: string; isHeld: boolean }): VNode {
  const { rights } = useSession().visitor;
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  if (isHeld || !rights.hold) return <span class="quiet">{isHeld ? 'on hold' : ''}</span>;
  if (isOpen) return <HoldForm lane={lane} close={() => setIsOpen(false)} />;
  return (
    <button ref={button} type="button" data-row aria-label={`Hold … ${lane}`} onClick={() => setIsOpen(true)}>
      Hold …
    </button>
  );
}

const TIMES = {
  '': 'until it is resumed',
  '10m': '10 min',
  '1h': '1 h',
  '8h': '8 h',
  '1d': '1 day',
} as const;

/** The form stays open, with the reason that was written, until the lane is on hold. */
function HoldForm({ lane, close }: { lane: string; close: () => void }): VNode {
  const { client } = useSession();
  const [reason, setReason] = useState('');
  const [time, setTime] = useState<keyof typeof TIMES>('');
  const asking = useAsking();
  const hold = (event: Event): void => {
    event.preventDefault();
    asking.ask(() => client.post('lanes/hold', { lane, reason, ...(time !== '' && { for: time }) }), close);
  };
  const closeByKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    close();
  };
  return (
    <form class="row" onSubmit={hold} onKeyDown={closeByKey}>
      <TextField label="reason" value={reason} isFocused onChange={setReason} />
      <SelectField label="for" value={time} choices={TIMES} onChange={setTime} />
      <button
        type="submit"
        class="main"
        disabled={reason === '' || asking.isUnderWay}
        title={reason === '' ? 'Write a reason first.' : undefined}
      >
        Hold
      </button>
      <button type="button" onClick={close}>
        Cancel
      </button>
      <Said of={asking} />
    </form>
  );
}

/** Ends the holds of a lane, or that of all lanes. */
export function Resume({ lane }: { lane: string | undefined }): VNode | null {
  const { client, visitor } = useSession();
  const asking = useAsking();
  if (!visitor.rights.hold) return null;
  const resume = (): void => {
    asking.ask(
      () => client.post('lanes/resume', lane === undefined ? { all: true } : { lane }),
      ({ answer }) => answer,
    );
  };
  return (
    <>
      <button
        type="button"
        data-row
        disabled={asking.isUnderWay}
        aria-label={`Resume ${lane ?? 'all lanes'}`}
        onClick={resume}
      >
        Resume
      </button>{' '}
      <Said of={asking} />
    </>
  );
}
