import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApplyRequest, PlanAnswer } from '../../../api.ts';
import { Said, useAsking } from '../../controls/asking.tsx';
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
  const asking = useAsking();
  const apply = (event: Event): void => {
    event.preventDefault();
    const request = { kind, reason, ...(kind === 'redrive' ? speedOf(speed, amount) : {}) };
    asking.ask(
      () => client.post('plans/:id/apply', request, { params: { id: plan.id } }),
      ({ operation }) => onApplied(operation.id),
    );
  };
  return (
    <form class="fields" onSubmit={apply}>
      {kind === 'discard' ? null : <SpeedFields {...{ speed, setSpeed, amount, setAmount }} />}
      <TextField label="reason, kept with the operation" value={reason} isFocused onChange={setReason} />
      <ApplyButtons
        kind={kind}
        isUnderWay={asking.isUnderWay}
        missing={
          plan.count === 0 ? `There is nothing to ${kind}.` : reason === '' ? 'Write a reason first.' : ''
        }
        close={close}
      />
      <Said of={asking} />
    </form>
  );
}

interface SpeedProps {
  readonly speed: Speed;
  readonly setSpeed: (speed: Speed) => void;
  readonly amount: number;
  readonly setAmount: (amount: number) => void;
}

function SpeedFields({ speed, setSpeed, amount, setAmount }: SpeedProps): VNode {
  return (
    <>
      <SelectField label="how fast" value={speed} choices={SPEEDS} onChange={setSpeed} />
      {speed === 'none' ? null : (
        <NumberField
          key={speed}
          label={speed === 'rate' ? 'runs a second' : 'minutes'}
          value={amount}
          min={1}
          max={10_000}
          onChange={setAmount}
        />
      )}
    </>
  );
}

interface ButtonsProps {
  readonly kind: ApplyRequest['kind'];
  readonly isUnderWay: boolean;
  /** Why it cannot be applied yet; `''` where it can. */
  readonly missing: string;
  readonly close: () => void;
}

function ApplyButtons({ kind, isUnderWay, missing, close }: ButtonsProps): VNode {
  return (
    <>
      <button
        type="submit"
        class="main"
        disabled={isUnderWay || missing !== ''}
        aria-describedby="missing"
        title={missing === '' ? undefined : missing}
      >
        {kind === 'redrive' ? 'Redrive' : 'Discard for good'}
      </button>
      <button type="button" onClick={close}>
        Close
      </button>
      <span id="missing" class="quiet">
        {missing}
      </span>
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
