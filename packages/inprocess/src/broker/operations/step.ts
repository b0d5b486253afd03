import type { ChangeAnswer, OperationStep } from '@retry/core/broker';
import type { Store } from '../record/store.ts';

/** Makes a call that may be a step of an operation: a step is counted with its operation, or is `fenced` without any effect. */
export function changeInStep(
  { store, now }: { readonly store: Store; readonly now: number },
  step: OperationStep | undefined,
  change: () => readonly ChangeAnswer[],
): readonly ChangeAnswer[] | 'fenced' {
  if (step === undefined) return change();
  const kept = store.operations.get(step.id);
  if (kept === undefined || kept.figures.state !== 'running') return 'fenced';
  if (kept.epoch !== step.epoch || kept.stepped >= step.epoch) return 'fenced';
  const answers = change();
  const done = answers.filter((answer) => answer === 'done').length;
  const { figures } = kept;
  kept.stepped = step.epoch;
  kept.progress = step.progress;
  kept.figures = {
    ...figures,
    done: figures.done + done,
    skipped: figures.skipped + step.skipped + answers.length - done,
    updatedAt: now,
    ...(step.isLast && { state: 'done' as const, endedAt: now }),
  };
  return answers;
}
