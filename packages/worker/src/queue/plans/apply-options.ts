import type { Duration } from '@retry/core';
import type { OperationRequest } from '@retry/core/broker';
import type { Fields } from '@retry/core/fields';
import { allowedAttempts, settingsOf } from '@retry/core/fields';
import { A_REASON } from '../../option-rules.ts';
import type { AnyTask } from '../../task/task.ts';

/** How to apply a plan. */
export interface ApplyOptions {
  /** What is done to the runs. @default 'redrive' */
  readonly kind?: OperationRequest['kind'] | undefined;
  /** How many runs are due per second, at most. @default no limit */
  readonly perSecond?: number | undefined;
  /** The time over which they are due evenly. */
  readonly spread?: Duration | undefined;
  /** Keeps the counted attempts; runs that have none left are skipped. Needs a plan of one `task`. @default false */
  readonly keepAttempts?: boolean | undefined;
  /** Why, for people; 1 to 512 bytes. */
  readonly reason?: string | undefined;
  /** Who, for people; 1 to 512 bytes. */
  readonly by?: string | undefined;
}

/** The keys of {@link ApplyOptions}. */
export const APPLY_KEYS: readonly (keyof ApplyOptions)[] = [
  'kind',
  'perSecond',
  'spread',
  'keepAttempts',
  'reason',
  'by',
];

/** How a plan is applied, as far as the options say. */
type Applied = Pick<OperationRequest, 'kind' | 'reason' | 'by'> & Rate & Attempts;

type Rate = Pick<OperationRequest, 'perSecond' | 'spreadMs'>;
type Attempts = Pick<OperationRequest, 'keepAttempts' | 'maxAttempts'>;

/** What the plan says about how it may be applied. */
interface Planned {
  readonly task: AnyTask | undefined;
  readonly isComplete: boolean;
}

/** Reads how to apply a plan; every wrong option is reported. */
export function readApply(fields: Fields, planned: Planned): Applied {
  const kind = fields.choice('kind', 'redrive', ['redrive', 'discard']);
  const rate = readRate(fields, planned);
  const attempts = readAttempts(fields, planned);
  const reason = fields.optional('reason', A_REASON);
  const by = fields.optional('by', A_REASON);
  if (kind === 'discard' && Object.keys({ ...rate, ...attempts }).length > 0)
    fields.fail('kind', 'takes neither rate nor attempts', 'Leave perSecond, spread and keepAttempts out.');
  return {
    kind,
    ...rate,
    ...attempts,
    ...(reason !== undefined && { reason }),
    ...(by !== undefined && { by }),
  };
}

function readRate(fields: Fields, { isComplete }: Planned): Rate {
  const isPaced = fields.value('perSecond') !== undefined;
  const perSecond = isPaced ? fields.number('perSecond', undefined, A_RATE) : undefined;
  if (fields.value('spread') === undefined) return perSecond === undefined ? {} : { perSecond };
  const spreadMs = fields.duration('spread', undefined, { finite: true });
  if (spreadMs <= 0) fields.fail('spread', 'must be longer than 0', "Use spread: '10m'.");
  if (isPaced) fields.fail('spread', 'cannot be combined with perSecond', 'Leave out one of them.');
  if (!isComplete) {
    const cure = 'Plan with a higher countUpTo, or use perSecond.';
    fields.fail('spread', 'needs a plan that has counted every run', cure);
  }
  return { spreadMs };
}

function readAttempts(fields: Fields, { task }: Planned): Attempts {
  if (!fields.choice('keepAttempts', false, [true, false])) return {};
  if (task === undefined) {
    const cure = 'Plan with task: its policy says which runs have attempts left.';
    fields.fail('keepAttempts', 'needs a plan of one task', cure);
    return {};
  }
  const maxAttempts = allowedAttempts(settingsOf(task.retry));
  return { keepAttempts: true, ...(maxAttempts < Infinity && { maxAttempts }) };
}

const A_RATE = {
  accepts: (rate: number): boolean => rate > 0 && rate < Infinity,
  message: 'must be a finite number > 0',
  cure: 'Leave it out for no limit.',
};
