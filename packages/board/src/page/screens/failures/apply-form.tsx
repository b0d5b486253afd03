import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApplyRequest, PlanAnswer } from '../../../api.ts';
import { NumberField, SelectField, TextField } from '../../controls/fields.tsx';
import { useSession } from '../../shell/session.ts';

interface ApplyFormProps {
  readonly plan: PlanAnswer;
  readonly kind: ApplyRequest['kind'];
  /** @default 'rate' */
  readonly first?: Speed | undefined;
  /** Takes the id of the operation. */
  readonly onApplied: (id: string) => void;
  readonly close: () => void;
}

const SPEEDS = {
  rate: 'by a rate',
  spread: 'spread over minutes',
  none: 'as fast as it goes',
} as const;

/** How fast a redrive is. */
export type Speed = keyof typeof SPEEDS;

/** How fast, and why: a reason is needed, it is kept with the operation. */
export function ApplyForm({ plan, kind, first = 'rate', onApplied, close }: ApplyFormProps): VNode {
  const { client } = useSession();
  const [speed, setSpeed] = useState<Speed>(first);
  const [amount, setAmount] = useState(10);
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState('');
  const apply = (event: Event): void => {
    event.preventDefault();
    const request = { kind, reason, ...(kind === 'redrive' ? speedOf(speed, amount) : {}) };
    client.post('plans/:id/apply', request, { params: { id: plan.id } }).then(
      ({ operation }) => onApplied(operation.id),
      (error: Error) => setProblem(error.message),
    );
  };
  return (
    <form class="fields" onSubmit={apply}>
      {kind === 'discard' ? null : (
        <>
          <SelectField label="how fast" value={speed} choices={SPEEDS} onChange={setSpeed} />
          {speed === 'none' ? null : (
            <NumberField
              label={speed === 'rate' ? 'runs a second' : 'minutes'}
              value={amount}
              min={1}
              max={10_000}
              onChange={setAmount}
            />
          )}
        </>
      )}
      <TextField label="reason, kept with the operation" value={reason} isFocused onChange={setReason} />
      <ApplyButtons kind={kind} isReady={plan.count > 0 && reason !== ''} close={close} />
      {problem === '' ? null : <p class="error">{problem}</p>}
    </form>
  );
}

function ApplyButtons({
  kind,
  isReady,
  close,
}: {
  kind: string;
  isReady: boolean;
  close: () => void;
}): VNode {
  return (
    <>
      <button type="submit" class="main" disabled={!isReady}>
        {kind === 'redrive' ? 'Redrive' : 'Discard for good'}
      </button>
      <button type="button" onClick={close}>
        Close
      </button>
    </>
  );
}

function speedOf(speed: Speed, amount: number): Partial<ApplyRequest> {
  switch (speed) {
    case 'rate':
      return { perSecond: amount };
    case 'spread':
      return { spread: amount * 60_000 };
    case 'none':
      return {};
  }
}
