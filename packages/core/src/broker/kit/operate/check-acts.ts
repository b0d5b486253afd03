import type { Problem } from '../../../errors.ts';
import { optional } from '../../../fields/check-arguments.ts';
import type { EndRequest, RescheduleRequest } from '../../acts.ts';
import type { HoldRequest, ResumeRequest } from '../../hold.ts';
import { findErrorProblems } from '../check/check-error.ts';
import { check, type Findings, findInEach, findTextProblem } from '../check/check-findings.ts';
import { findGroupProblems } from '../check/check-groups.ts';
import type { FieldRules } from '../check/field-rules.ts';
import { FLAG, findWrongFields, NUMBER_OR_NONE, oneOf } from '../check/field-rules.ts';
import { HOLD_SOURCES } from '../holds.ts';
import { textProblem } from '../limits.ts';

/** Checks the requests of `end`. @throws {InvalidOptionsError} */
export function checkEnds(requests: readonly EndRequest[]): void {
  check('end', (findings) => {
    findInEach(requests, findings.problems, (request, path) => {
      findings.name(() => `${path}.id`, request.id);
      findOutcomeProblems(request, path, findings);
    });
  });
}

/** Checks the requests of `reschedule`. @throws {InvalidOptionsError} */
export function checkReschedules(requests: readonly RescheduleRequest[]): void {
  check('reschedule', ({ problems, name }) => {
    findInEach(requests, problems, (request, path) => {
      name(() => `${path}.id`, request.id);
      findWrongFields(request, RESCHEDULE, { problems, path });
    });
  });
}

/** Checks the holds of `hold`. @throws {InvalidOptionsError} */
export function checkHolds(holds: readonly HoldRequest[]): void {
  check('hold', (findings) => {
    const { problems } = findings;
    findInEach(holds, problems, (hold, path) => {
      if (hold.lane !== undefined) findings.name(() => `${path}.lane`, hold.lane);
      for (const key of ['reason', 'by'] as const) {
        const message = hold[key] === undefined ? undefined : textProblem(hold[key]);
        if (message !== undefined)
          problems.push({ path: `${path}.${key}`, value: hold[key], message, cure: NOTE_CURE });
      }
      findWrongFields(hold, HOLD, { problems, path });
      if (hold.probeMs !== undefined) problems.push(...probeProblems(hold, path));
    });
  });
}

/** Checks the requests of `resume`. @throws {InvalidOptionsError} */
export function checkResumes(requests: readonly ResumeRequest[]): void {
  check('resume', (findings) => {
    const { problems, name } = findings;
    findInEach(requests, problems, (request, path) => {
      if (request.lane !== undefined) name(() => `${path}.lane`, request.lane);
      findWrongFields(request, RESUME, { problems, path });
    });
  });
}

const NOTE_CURE = 'It is a note for people: shorten it, or leave it out.';

const A_SOURCE = oneOf(HOLD_SOURCES, "People hold lanes as 'operator'.");

const RESCHEDULE: FieldRules<RescheduleRequest> = { runAt: NUMBER_OR_NONE, delayMs: NUMBER_OR_NONE };

const HOLD: FieldRules<HoldRequest> = {
  source: A_SOURCE,
  until: NUMBER_OR_NONE,
  forMs: NUMBER_OR_NONE,
  probeMs: NUMBER_OR_NONE,
  keepLonger: FLAG,
};

const RESUME: FieldRules<ResumeRequest> = { source: optional(A_SOURCE) };

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
