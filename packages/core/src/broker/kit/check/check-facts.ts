import type { Problem } from '../../../errors.ts';
import type { WorkerFacts, WorkerFlow } from '../../insight/workers.ts';
import { type Findings, findList, findObjectProblem } from './check-findings.ts';
import type { FieldRules } from './field-rules.ts';
import { FLAG, findWrongFields } from './field-rules.ts';

const FACTS: FieldRules<WorkerFacts> = { sharesHeartbeatClient: FLAG };

/** Finds what is wrong with the facts of an attendance. */
export function findFactsProblems(facts: WorkerFacts, findings: Findings): void {
  const { problems, name } = findings;
  if (!findObjectProblem('facts', facts, problems)) return;
  const { host, pid, version, startedAt, slots, slotsTaken, leases, eventLoopLagMs, flow } = facts;
  findWrongFields(facts, FACTS, { problems, path: 'facts' });
  if (host !== undefined) name(() => 'facts.host', host);
  if (version !== undefined) name(() => 'facts.version', version);
  const optional = { pid, startedAt, eventLoopLagMs };
  for (const [key, value] of Object.entries(optional))
    if (value !== undefined) problems.push(...numberProblems(`facts.${key}`, value));
  for (const [key, value] of Object.entries({ slots, slotsTaken, leases }))
    problems.push(...numberProblems(`facts.${key}`, value));
  if (flow !== undefined) findFlowProblems(flow, findings);
}

function findFlowProblems(flow: WorkerFlow, { problems, name }: Findings): void {
  if (!findObjectProblem('facts.flow', flow, problems)) return;
  problems.push(...numberProblems('facts.flow.windowMs', flow.windowMs));
  for (const [index, counts] of findList('facts.flow.lanes', flow.lanes, problems).entries()) {
    const path = `facts.flow.lanes[${index}]`;
    if (!findObjectProblem(path, counts, problems)) continue;
    const { lane } = counts;
    name(() => `${path}.lane`, lane);
    for (const key of ['starts', 'retries', 'ends', 'maxLatenessMs'] as const)
      problems.push(...numberProblems(`${path}.${key}`, counts[key]));
  }
}

function numberProblems(path: string, value: unknown): readonly Problem[] {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return [];
  return [{ path, value, message: 'must be a number ≥ 0', cure: 'Leave the facts out if you know none.' }];
}
