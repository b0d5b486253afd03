import type { OperationStep } from '@retry/core/broker';

/** The arguments of a call that may be a step of an operation: all null where it is none. */
interface StepArguments {
  readonly operation: string | null;
  readonly epoch: number | null;
  readonly skipped: number | null;
  readonly progress: string | null;
  readonly isLast: boolean | null;
}

/** Returns the arguments of a step. */
export function stepArguments(step: OperationStep | undefined): StepArguments {
  if (step === undefined)
    return { operation: null, epoch: null, skipped: null, progress: null, isLast: null };
  const { id, epoch, skipped, progress, isLast } = step;
  return { operation: id, epoch, skipped, progress, isLast };
}
