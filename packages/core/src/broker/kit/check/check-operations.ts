import type { Problem } from '../../../errors.ts';
import type { HoldRequest, HoldSource, ResumeRequest } from '../../hold.ts';
import type { EndRequest, RescheduleRequest } from '../../operation.ts';
import { textProblem } from '../limits.ts';
import { findErrorProblems } from './check-error.ts';
import {
  check,
  entriesOf,
  type Findings,
  findBooleanProblems,
  findNumberProblems,
  findTextProblem,
} from './check-findings.ts';
import { findGroupProblems } from './check-groups.ts';

/** Checks the requests of `end`. @throws {InvalidOptionsError} */
export function checkEnds(requests: readonly EndRequest[]): void {
  check('end', (findings) => {
    for (const [index, request] of entriesOf(requests)) {
      findings.name(() => `[${index}].id`, request.id);
      findOutcomeProblems(request, `[${index}]`, findings);
    }
  });
}

/** Checks the requests of `reschedule`. @throws {InvalidOptionsError} */
export function checkReschedules(requests: readonly RescheduleRequest[]): void {
  check('reschedule', ({ problems, name }) => {
    for (const [index, request] of entriesOf(requests)) {
      name(() => `[${index}].id`, request.id);
      findNumberProblems(request, ['runAt', 'delayMs'], { problems, path: `[${index}]` });
    }
  });
}

/** Checks the holds of `hold`. @throws {InvalidOptionsError} */
export function checkHolds(holds: readonly HoldRequest[]): void {
  check('hold', (findings) => {
    const { problems } = findings;
    for (const [index, hold] of entriesOf(holds)) {
      const path = `[${index}]`;
      findTargetProblems(hold, path, findings);
      if (hold.source === undefined) problems.push(sourceProblem(path, hold.source));
      for (const key of ['reason', 'by'] as const) {
        const message = hold[key] === undefined ? undefined : textProblem(hold[key]);
        if (message !== undefined)
          problems.push({ path: `${path}.${key}`, value: hold[key], message, cure: NOTE_CURE });
      }
      findNumberProblems(hold, ['until', 'forMs', 'probeMs'], { problems, path });
      findBooleanProblems(hold, ['keepLonger'], { problems, path });
      if (hold.probeMs !== undefined) problems.push(...probeProblems(hold, path));
    }
  });
}

/** Checks the requests of `resume`. @throws {InvalidOptionsError} */
export function checkResumes(requests: readonly ResumeRequest[]): void {
  check('resume', (findings) => {
    for (const [index, request] of entriesOf(requests)) findTargetProblems(request, `[${index}]`, findings);
  });
}

const NOTE_CURE = 'It is a note for people: shorten it, or leave it out.';

const SOURCES = ['operator', 'handler', 'circuit-breaker'] as const satisfies readonly HoldSource[];

/** Finds what is wrong with the lane and the source, where they are set. */
function findTargetProblems(
  { lane, source }: ResumeRequest,
  path: string,
  { problems, name }: Findings,
): void {
  if (lane !== undefined) name(() => `${path}.lane`, lane);
  if (source !== undefined && !SOURCES.includes(source)) problems.push(sourceProblem(path, source));
}

function sourceProblem(path: string, value: unknown): Problem {
  const message = `must be one of ${SOURCES.map((source) => `'${source}'`).join(', ')}`;
  return { path: `${path}.source`, value, message, cure: "People hold lanes as 'operator'." };
}

function probeProblems({ lane, until, forMs, probeMs }: HoldRequest, path: string): readonly Problem[] {
  const problems: Problem[] = [];
  const refuse = (message: string, cure: string): void => {
    problems.push({ path: `${path}.probeMs`, value: probeMs, message, cure });
  };
  if (probeMs !== undefined && (probeMs <= 0 || probeMs === Infinity))
    refuse('must be a finite number > 0', 'Leave it out if the hold is to end by itself.');
  if (lane === undefined) refuse('needs a lane', 'Hold each lane that is to be probed by itself.');
  if (until === undefined && forMs === undefined)
    refuse('needs until or forMs', 'Say when the first run is let through.');
  return problems;
}

function findOutcomeProblems(request: EndRequest, path: string, findings: Findings): void {
  const { as } = request;
  const { problems } = findings;
  if (as === 'completed') {
    findTextProblem(`${path}.result`, request.result, { problems });
    return;
  }
  if (as !== 'failed') {
    const cure = "Use 'completed' with a result, or 'failed' with an error.";
    problems.push({ path: `${path}.as`, value: as, message: "must be 'completed' or 'failed'", cure });
    return;
  }
  if (request.group !== undefined) findGroupProblems(request.group, `${path}.group`, findings);
  findErrorProblems(request.error, `${path}.error`, findings);
}
