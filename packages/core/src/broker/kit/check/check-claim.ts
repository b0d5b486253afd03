import type { Problem } from '../../../errors.ts';
import type { Claim } from '../../exchange.ts';
import { type Findings, findMap, findObjectProblem } from './check-findings.ts';
import { findLimitProblems } from './check-submission.ts';
import type { FieldRule, FieldRules } from './field-rules.ts';
import { FINITE_LENGTH, findWrongFields, wholeFrom } from './field-rules.ts';

/** How many runs are claimed; of a lane at most as many as in all. */
const A_LIMIT = wholeFrom(0, { cure: 'Claim as many runs as you can start now.' });

const CLAIM: FieldRules<Claim> = { limit: A_LIMIT, leaseMs: FINITE_LENGTH };

/** Finds what is wrong with a claim. */
export function findClaimProblems(claim: Claim, { problems, name }: Findings): void {
  if (!findObjectProblem('claim', claim, problems)) return;
  const { worker, requestId, lanes, concurrency, dueLimits } = claim;
  name(() => 'claim.worker', worker);
  name(() => 'claim.requestId', requestId);
  findWrongFields(claim, CLAIM, { problems, path: 'claim' });
  const cure = "Use new Map([['send-email@1', 10]]).";
  for (const [lane, limit] of findMap('claim.lanes', lanes, { problems, cure })) {
    name(() => 'claim.lanes', lane);
    findCountProblems(`claim.lanes(${lane})`, limit, { problems, rule: A_LIMIT });
  }
  if (concurrency !== undefined) findConcurrencyProblems(concurrency, problems);
  if (dueLimits === undefined) return;
  for (const [lane, limit] of findMap('claim.dueLimits', dueLimits, { problems, cure: DUE_CURE }))
    findCountProblems(`claim.dueLimits(${lane})`, limit, { problems, rule: A_DUE_LIMIT });
}

const DUE_CURE = "Use new Map([['send-email@1', 1]]).";

const A_DUE_LIMIT = wholeFrom(0, { cure: 'Leave the lane out for all runs that are due.' });

function findCountProblems(
  path: string,
  value: unknown,
  { problems, rule: { accepts, message, cure } }: { readonly problems: Problem[]; readonly rule: FieldRule },
): void {
  if (!accepts(value)) problems.push({ path, value, message, cure });
}

function findConcurrencyProblems(concurrency: NonNullable<Claim['concurrency']>, problems: Problem[]): void {
  const cure = "Use new Map([['send-email@1', { limit: 2, whenFull: 'wait' }]]).";
  for (const [lane, ofLane] of findMap('claim.concurrency', concurrency, { problems, cure })) {
    const path = `claim.concurrency(${lane})`;
    if (findObjectProblem(path, ofLane, problems)) findLimitProblems(ofLane, path, problems);
  }
}
