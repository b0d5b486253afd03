import type { OperationStep } from '@retry/core/broker';
import type { Packed } from '../store/pack.ts';
import type { Store } from '../store/store.ts';

/** The values of a step, in the order in which they are sent. */
export const STEP = ['operation', 'epoch', 'skipped', 'progress', 'isLast', 'isHome'] as const;

/** The values of a step. */
export function packStep({ isHome }: Pick<Store, 'isHome'>, step: OperationStep): readonly Packed[] {
  const values: Readonly<Record<(typeof STEP)[number], Packed>> = {
    operation: step.id,
    epoch: step.epoch,
    skipped: step.skipped,
    progress: step.progress,
    isLast: step.isLast ? 1 : 0,
    isHome: isHome ? 1 : 0,
  };
  return STEP.map((name) => values[name]);
}

/** What a script replies in place of answers when it does not accept the step. */
export const STEP_REFUSED = 'fenced';
