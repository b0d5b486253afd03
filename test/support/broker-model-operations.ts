import type { OperationState, OperationStep } from '@retry/core/broker';
import type { Model, Ripeness } from './broker-model.ts';

/** An operation on dead letters as the model keeps it. */
export interface ModelOperation {
  readonly planned: number;
  readonly isPlanExact: boolean;
  /** How often time had passed before it came. */
  readonly cameAt: number;
  state: OperationState;
  epoch: number;
  /** The epoch of the latest step. */
  stepped: number;
  done: number;
  skipped: number;
  progress: string | undefined;
  carrier: string | undefined;
  /** When the carrier loses it. */
  until: Ripeness;
}

/** Keeps an operation, unless its id is known. */
export function modelPut(
  { operations, advances }: Model,
  { id, ...plan }: Pick<ModelOperation, 'planned' | 'isPlanExact'> & { readonly id: string },
): 'created' | 'exists' {
  if (operations.has(id)) return 'exists';
  const figures = { epoch: 0, stepped: 0, done: 0, skipped: 0 };
  const free = { progress: undefined, carrier: undefined, until: 'now' } as const;
  operations.set(id, { ...plan, ...figures, ...free, state: 'running', cameAt: advances });
  return 'created';
}

/** Gives the oldest running operation that is free to a carrier; of those that came together, the first one by id. */
export function modelClaimOperation(
  { operations }: Model,
  {
    carrier,
    lease,
    id: wanted,
  }: { readonly carrier: string; readonly lease: Ripeness; readonly id?: string },
): readonly [id: string, epoch: number, progress: string | undefined] | undefined {
  const free = [...operations].filter(
    ([id, { state, until, carrier: other }]) =>
      state === 'running' &&
      (until === 'now' || other === carrier) &&
      (wanted === undefined || wanted === id),
  );
  free.sort(([left, one], [right, other]) => one.cameAt - other.cameAt || (left < right ? -1 : 1));
  const [first] = free;
  if (first === undefined) return undefined;
  const [id, operation] = first;
  operation.epoch++;
  operation.carrier = carrier;
  operation.until = lease;
  return [id, operation.epoch, operation.progress];
}

/** Pauses, resumes or cancels an operation. */
export function modelChange(
  { operations }: Model,
  id: string,
  to: 'running' | 'paused' | 'cancelled',
): 'changed' | 'refused' | 'gone' {
  const operation = operations.get(id);
  if (operation === undefined) return 'gone';
  if (hasEnded(operation)) return 'refused';
  operation.state = to;
  return 'changed';
}

/**
 * Makes a step: answers `fenced`, or lets each id be moved, and counts.
 *
 * @param success - the answer that counts as done
 */
export function modelStep<Answer extends string>(
  { operations }: Model,
  step: OperationStep,
  {
    ids,
    success,
    move,
  }: { readonly ids: readonly string[]; readonly success: Answer; readonly move: (id: string) => Answer },
): readonly (Answer | 'fenced')[] {
  const operation = operations.get(step.id);
  if (operation?.state !== 'running') return ids.map(() => 'fenced');
  if (step.epoch !== operation.epoch || step.epoch <= operation.stepped) return ids.map(() => 'fenced');
  const answers = ids.map(move);
  const done = answers.filter((answer) => answer === success).length;
  operation.stepped = step.epoch;
  operation.progress = step.progress;
  operation.done += done;
  operation.skipped += step.skipped + ids.length - done;
  if (step.isLast) operation.state = 'done';
  return answers;
}

/** What operators see of it. Of an exact plan that is done, what no step has seen was skipped. */
export function modelFigures({ planned, isPlanExact, state, done, skipped }: ModelOperation) {
  const isWhole = state === 'done' && isPlanExact;
  return { state, done, skipped: isWhole ? Math.max(skipped, planned - done) : skipped };
}

/** Lets time pass: carriers lose what they hold until soon. */
export function letLeasesEnd({ operations }: Model): void {
  for (const operation of operations.values()) if (operation.until === 'soon') operation.until = 'now';
}

function hasEnded({ state }: ModelOperation): boolean {
  return state === 'done' || state === 'cancelled';
}
