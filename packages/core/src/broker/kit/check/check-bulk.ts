import type { Problem } from '../../../errors.ts';
import type { OperationClaim, OperationRequest, OperationStep } from '../../operations.ts';
import { MAX_STEP_IDS } from '../../operations.ts';
import { textProblem } from '../limits.ts';
import { check, type Findings, findBooleanProblems, findNumberProblems } from './check-findings.ts';

/** The most ids of the filter of an operation. */
export const MAX_OPERATION_IDS = 10_000;

/** The longest text that a step leaves for the next one, in bytes. */
const MAX_PROGRESS_BYTES = 4_096;

/** Checks a new operation. @throws {InvalidOptionsError} */
export function checkOperation(request: OperationRequest): void {
  check('operation', (findings) => {
    const { problems, name } = findings;
    const { id, filter, reason, by } = request;
    name(() => 'id', id);
    for (const key of ['lane', 'task', 'errorName', 'errorGroup'] as const)
      if (filter[key] !== undefined) name(() => `filter.${key}`, filter[key]);
    if (reason !== undefined) name(() => 'reason', reason);
    if (by !== undefined) name(() => 'by', by);
    findNumberProblems(request, ['planned', 'perSecond', 'spreadMs', 'maxAttempts'], { problems, path: '' });
    findNumberProblems(filter, ['endedBefore', 'endedAfter'], { problems, path: 'filter' });
    findBooleanProblems(request, ['isPlanExact', 'keepAttempts'], { problems, path: '' });
    if (filter.ids !== undefined) findIdProblems(filter.ids, findings);
    problems.push(...rateProblems(request));
  });
}

/** Checks a claim of an operation. @throws {InvalidOptionsError} */
export function checkOperationClaim(claim: OperationClaim): void {
  check('operations.claim', ({ problems, name }) => {
    name(() => 'carrier', claim.carrier);
    if (claim.id !== undefined) name(() => 'id', claim.id);
    findNumberProblems(claim, ['leaseMs'], { problems, path: '' });
  });
}

/** Checks how an operation is to change. @throws {InvalidOptionsError} */
export function checkOperationChange({ id, to }: { readonly id: string; readonly to: string }): void {
  check('operations.change', ({ problems, name }) => {
    name(() => 'id', id);
    if (['running', 'paused', 'cancelled'].includes(to)) return;
    const message = "must be 'running', 'paused' or 'cancelled'";
    problems.push({ path: 'to', value: to, message, cure: "Use 'paused'." });
  });
}

/** Checks the id of an operation. @throws {InvalidOptionsError} */
export function checkOperationId(id: string): void {
  check('operations', ({ name }) => name(() => 'id', id));
}

/** Finds what is wrong with a step and the ids that it takes. */
export function findStepProblems(
  { id, epoch, skipped, progress }: OperationStep,
  ids: readonly string[],
  { problems, name }: Findings,
): void {
  name(() => 'options.operation.id', id);
  findNumberProblems({ epoch, skipped }, ['epoch', 'skipped'], { problems, path: 'options.operation' });
  const message = textProblem(progress, MAX_PROGRESS_BYTES);
  if (message !== undefined) {
    const cure = 'It is the place where the next step begins.';
    problems.push({ path: 'options.operation.progress', value: progress, message, cure });
  }
  if (ids.length <= MAX_STEP_IDS && new Set(ids).size === ids.length) return;
  const cure = 'Take more steps.';
  problems.push({
    path: 'ids',
    value: ids.length,
    message: `must be at most ${MAX_STEP_IDS} different ids in a step of an operation`,
    cure,
  });
}

function findIdProblems(ids: readonly string[], { problems, name }: Findings): void {
  for (const [index, id] of ids.entries()) name(() => `filter.ids[${index}]`, id);
  if (ids.length <= MAX_OPERATION_IDS) return;
  const message = `must be at most ${MAX_OPERATION_IDS} ids`;
  problems.push({
    path: 'filter.ids',
    value: ids.length,
    message,
    cure: 'Select them by their task or error.',
  });
}

function rateProblems({
  kind,
  perSecond,
  spreadMs,
  isPlanExact,
  keepAttempts,
}: OperationRequest): readonly Problem[] {
  const problems: Problem[] = [];
  const refuse = (path: string, value: unknown, message: string, cure: string): void => {
    problems.push({ path, value, message, cure });
  };
  if (perSecond !== undefined && !(perSecond > 0 && perSecond < Infinity))
    refuse('perSecond', perSecond, 'must be a finite number > 0', 'Leave it out for no limit.');
  if (spreadMs !== undefined && !(spreadMs > 0 && spreadMs < Infinity))
    refuse('spreadMs', spreadMs, 'must be a finite number of milliseconds > 0', 'Leave it out for now.');
  if (spreadMs !== undefined && perSecond !== undefined)
    refuse('spreadMs', spreadMs, 'cannot be combined with perSecond', 'Leave out one of them.');
  if (spreadMs !== undefined && !isPlanExact)
    refuse('spreadMs', spreadMs, 'needs a plan that counted every run', 'Count further, or use perSecond.');
  if (kind === 'discard' && (perSecond ?? spreadMs ?? keepAttempts) !== undefined)
    refuse('kind', kind, 'has neither rate nor attempts', 'Leave perSecond, spreadMs and keepAttempts out.');
  return problems;
}
