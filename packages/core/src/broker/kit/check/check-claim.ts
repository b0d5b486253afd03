import type { Problem } from '../../../errors.ts';
import type { Claim } from '../../exchange.ts';
import { type Findings, findMap, findObjectProblem } from './check-findings.ts';
import { findLimitProblems } from './check-submission.ts';
import type { FieldRules } from './field-rules.ts';
import { FINITE_LENGTH, findWrongFields, wholeFrom } from './field-rules.ts';

/** How many runs are claimed; of a lane at most as many as in all. */
const A_LIMIT = wholeFrom(0, { cure: 'Claim as many runs as you can start now.' });

const CLAIM: FieldRules<Claim> = { limit: A_LIMIT, leaseMs: FINITE_LENGTH };

/** Finds what is wrong with a claim. */
export function findClaimProblems(claim: Claim, { problems, name }: Findings): void {
  if (!findObjectProblem('claim', claim, problems)) return;
  const { worker, requestId, lanes, concurrency } = claim;
  name(() => 'claim.worker', worker);
  name(() => 'claim.requestId', requestId);
  findWrongFields(claim, CLAIM, { problems, path: 'claim' });
  const cure = "Use new Map([['send-email@1', 10]]).";
  for (const [lane, limit] of findMap('claim.lanes', lanes, { problems, cure })) {
    name(() => 'claim.lanes', lane);
    if (!A_LIMIT.accepts(limit)) {
      problems.push({
        path: `claim.lanes(${lane})`,
        value: limit,
        message: A_LIMIT.message,
        cure: A_LIMIT.cure,
      });
    }
  }
  if (concurrency !== undefined) findConcurrencyProblems(concurrency, problems);
}

function findConcurrencyProblems(concurrency: NonNullable<Claim['concurrency']>, problems: Problem[]): void {
  const cure = "Use new Map([['send-email@1', { limit: 2, whenFull: 'wait' }]]).";
  for (const [lane, ofLane] of findMap('claim.concurrency', concurrency, { problems, cure })) {
    const path = `claim.concurrency(${lane})`;
    if (findObjectProblem(path, ofLane, problems)) findLimitProblems(ofLane, path, problems);
  }
}
