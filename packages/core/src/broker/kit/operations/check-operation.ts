import type { Problem } from '../../../errors.ts';
import { optional } from '../../../fields/check-arguments.ts';
import { DEAD_LETTER_STATES } from '../../../lifecycle/arrows.ts';
import type { OperationClaim, OperationFilter, OperationRequest } from '../../operation.ts';
import { findGroupIdProblem } from '../check/check-error.ts';
import { check, type Findings, findList } from '../check/check-findings.ts';
import type { FieldRules } from '../check/field-rules.ts';
import {
  BOOLEAN,
  FINITE_LENGTH,
  FLAG,
  findWrongFields,
  isObject,
  NUMBER,
  NUMBER_OR_NONE,
  OBJECT,
  oneOf,
  wholeFrom,
} from '../check/field-rules.ts';

/** The most ids of the filter of an operation. */
export const MAX_OPERATION_IDS = 10_000;

/** Checks a new operation. @throws {InvalidOptionsError} */
export function checkOperation(request: OperationRequest): void {
  check('operation', (findings) => {
    const { problems, name } = findings;
    const { id, filter, reason, by } = request;
    name(() => 'id', id);
    if (reason !== undefined) name(() => 'reason', reason);
    if (by !== undefined) name(() => 'by', by);
    findWrongFields(request, OPERATION, { problems, path: '' });
    if (isObject(filter)) findFilterProblems(filter, findings);
    problems.push(...rateProblems(request));
  });
}

/** Checks a claim of an operation. @throws {InvalidOptionsError} */
export function checkOperationClaim(claim: OperationClaim): void {
  check('operations.claim', ({ problems, name }) => {
    name(() => 'carrier', claim.carrier);
    if (claim.id !== undefined) name(() => 'id', claim.id);
    findWrongFields(claim, CLAIM, { problems, path: '' });
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

const COUNT_CURE = 'Count the runs.';

const OPERATION: FieldRules<OperationRequest> = {
  kind: oneOf(['redrive', 'discard'], "Use 'redrive'."),
  filter: OBJECT,
  planned: wholeFrom(0, { cure: COUNT_CURE }),
  isPlanExact: BOOLEAN,
  keepAttempts: FLAG,
  maxAttempts: optional(wholeFrom(0, { cure: 'Leave it out for no limit.' })),
};

const FILTER: FieldRules<OperationFilter> = {
  state: oneOf(DEAD_LETTER_STATES, 'Only dead letters can be selected.'),
  endedBefore: { ...NUMBER, cure: 'It is the instant of the plan.' },
  endedAfter: NUMBER_OR_NONE,
};

const CLAIM: FieldRules<OperationClaim> = { leaseMs: FINITE_LENGTH };

function findFilterProblems(filter: OperationFilter, findings: Findings): void {
  const { problems, name } = findings;
  for (const key of ['lane', 'task', 'errorName'] as const)
    if (filter[key] !== undefined) name(() => `filter.${key}`, filter[key]);
  if (filter.errorGroup !== undefined) findGroupIdProblem('filter.errorGroup', filter.errorGroup, findings);
  findWrongFields(filter, FILTER, { problems, path: 'filter' });
  if (filter.ids !== undefined) findIdProblems(findList('filter.ids', filter.ids, problems), findings);
}

function findIdProblems(ids: readonly string[], { problems, name }: Findings): void {
  if (ids.length > MAX_OPERATION_IDS) {
    const message = `must be at most ${MAX_OPERATION_IDS} ids`;
    const cure = 'Select them by their task or error.';
    problems.push({ path: 'filter.ids', value: ids.length, message, cure });
    return;
  }
  for (const [index, id] of ids.entries()) name(() => `filter.ids[${index}]`, id);
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
  if (perSecond !== undefined && !isPositive(perSecond))
    refuse('perSecond', perSecond, 'must be a finite number > 0', 'Leave it out for no limit.');
  if (spreadMs !== undefined && !isPositive(spreadMs))
    refuse('spreadMs', spreadMs, 'must be a finite number of milliseconds > 0', 'Leave it out for now.');
  if (spreadMs !== undefined && perSecond !== undefined)
    refuse('spreadMs', spreadMs, 'cannot be combined with perSecond', 'Leave out one of them.');
  if (spreadMs !== undefined && !isPlanExact)
    refuse('spreadMs', spreadMs, 'needs a plan that counted every run', 'Count further, or use perSecond.');
  if (kind === 'discard' && (perSecond ?? spreadMs ?? keepAttempts) !== undefined)
    refuse('kind', kind, 'has neither rate nor attempts', 'Leave perSecond, spreadMs and keepAttempts out.');
  return problems;
}

function isPositive(value: unknown): boolean {
  return Number.isFinite(value) && Number(value) > 0;
}
