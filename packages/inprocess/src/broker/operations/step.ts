import type { OperationStep } from '@retry/core/broker';
import type { Store } from '../record/store.ts';

/**
 * Answers a call that may be a step of an operation: a step is counted with its operation, or answered `fenced` without any effect.
 *
 * @param success - the answer that counts as done
 */
export function inStep<Answer extends string>(
  { store, ids, now }: { readonly store: Store; readonly ids: readonly string[]; readonly now: number },
  step: OperationStep | undefined,
  { success, answer }: { readonly success: Answer; readonly answer: (id: string) => Answer },
): readonly (Answer | 'fenced')[] {
  if (step === undefined) return ids.map(answer);
  const kept = store.operations.get(step.id);
  if (kept === undefined || kept.figures.state !== 'running') return ids.map(() => 'fenced');
  if (kept.epoch !== step.epoch || kept.stepped >= step.epoch) return ids.map(() => 'fenced');
  const answers = ids.map(answer);
  const moved = answers.filter((one) => one === success).length;
  const { figures } = kept;
  kept.stepped = step.epoch;
  kept.progress = step.progress;
  kept.figures = {
    ...figures,
    done: figures.done + moved,
    skipped: figures.skipped + step.skipped + ids.length - moved,
    updatedAt: now,
    ...(step.isLast && { state: 'done' as const, endedAt: now }),
  };
  return answers;
}
