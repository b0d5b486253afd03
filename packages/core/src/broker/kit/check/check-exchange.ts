import type { Problem } from '../../../errors.ts';
import { isNumber, optional } from '../../../fields/check-arguments.ts';
import { isListOf } from '../../../read.ts';
import type { Claim } from '../../exchange.ts';
import type { AttemptError, Run } from '../../run.ts';
import type { Settlement } from '../../settlement.ts';
import type { RunFieldKind } from '../run/run-fields.ts';
import { hasPlainFields, isPast, RUN_FIELDS } from '../run/run-fields.ts';
import { textProblem } from '../storable/texts.ts';
import { areUnrecorded, findGroupProblems } from './check-error.ts';
import { type Findings, findList, findMap, findObjectProblem } from './check-findings.ts';
import { findLimitProblems, findSettlementSubmitProblems } from './check-submission.ts';
import type { FieldRule, FieldRules } from './field-rules.ts';
import {
  BOOLEAN,
  EPOCH,
  EVENT,
  FINITE_LENGTH,
  findWrongFields,
  isEvent,
  isObject,
  isState,
  LENGTH,
  LIST,
  NUMBER,
  OBJECT,
  STATE,
  TEXT,
  wholeFrom,
} from './field-rules.ts';

/** Finds what is wrong with one settlement. Most have nothing, which is asked first. */
export function findSettlementProblems(settlement: Settlement, path: string, findings: Findings): void {
  const { problems, name } = findings;
  if (!findObjectProblem(path, settlement, problems)) return;
  name(() => `${path}.id`, settlement.id);
  findWrongFields(settlement, SETTLEMENT, { problems, path });
  const { next, group, submit } = settlement;
  if (isObject(next)) findRunProblems(next, `${path}.next`, findings);
  if (group !== undefined) findGroupProblems(group, `${path}.group`, findings);
  if (submit !== undefined && isObject(next))
    findSettlementSubmitProblems(settlement, `${path}.submit`, findings);
}

/**
 * Whether nothing is wrong with a settlement that submits nothing and has no group. In line and without closures, because every
 * settlement comes here.
 */
export function isPlainSettlement(settlement: Settlement): boolean {
  if (!isObject(settlement)) return false;
  const { id, epoch, event, next, delayMs, onlyIfExpired, group, submit } = settlement;
  return (
    group === undefined &&
    submit === undefined &&
    textProblem(id) === undefined &&
    Number.isSafeInteger(epoch) &&
    isEvent(event) &&
    (delayMs === undefined || isNumber(delayMs)) &&
    (onlyIfExpired === undefined || typeof onlyIfExpired === 'boolean') &&
    isObject(next) &&
    isPlainRun(next)
  );
}

/** Whether nothing is wrong with what is to be stored of a run. */
export function isPlainRun(run: Run): boolean {
  const { settledBy, errors } = run;
  return (
    isState(run.state) &&
    hasPlainFields(run) &&
    typeof run.lane === 'string' &&
    typeof run.payload === 'string' &&
    (settledBy === undefined || isSettledBy(settledBy)) &&
    Array.isArray(errors) &&
    errors.length <= MAX_PLAIN_ERRORS &&
    isListOf(errors, isPlainError)
  );
}

/** A run keeps fewer. A longer list may be a sparse one, and is looked at as such. */
const MAX_PLAIN_ERRORS = 1_000;

/** Returns whether an error is as most are: what is wrong with any other is found field by field. */
function isPlainError(given: unknown): boolean {
  if (!isObject(given)) return false;
  const error = given as AttemptError; // each of its fields is checked
  const { stack, code, causeCode, status, retryAfterMs, durationMs, reason, worker } = error;
  return (
    Number.isSafeInteger(error.epoch) &&
    Number.isFinite(error.at) &&
    isPast(error.startedAt) &&
    typeof error.name === 'string' &&
    typeof error.message === 'string' &&
    (stack === undefined || typeof stack === 'string') &&
    (reason === undefined || typeof reason === 'string') &&
    (worker === undefined || typeof worker === 'string') &&
    (durationMs === undefined || (Number.isFinite(durationMs) && durationMs >= 0)) &&
    (code === undefined || typeof code === 'string') &&
    (causeCode === undefined || typeof causeCode === 'string') &&
    (status === undefined || Number.isFinite(status)) &&
    retryAfterMs === undefined &&
    error.stalledWith === undefined &&
    error.isRedacted === undefined &&
    error.unrecorded === undefined &&
    (error.context === undefined || typeof error.context === 'string')
  );
}

function isSettledBy(value: unknown): boolean {
  return typeof value === 'string' && SETTLED_BY.test(value);
}

const SETTLED_BY = /^\d+:[A-Za-z]+$/;

const SETTLEMENT: FieldRules<Settlement> = {
  epoch: EPOCH,
  event: EVENT,
  next: OBJECT,
  delayMs: optional(NUMBER),
  onlyIfExpired: optional(BOOLEAN),
};

/** A counter of a run. */
const COUNT: FieldRule = wholeFrom(0, { cure: 'Keep what transition of @retry/core/lifecycle returns.' });

/** An instant that is past. */
const PAST: FieldRule = optional({
  accepts: Number.isFinite,
  message: 'must be a finite number',
  cure: 'It is an instant, in epoch milliseconds.',
});

/** The rule of what settled a run last, as `settledBy` writes it. Brokers write it beside other texts. */
const SETTLEMENT_NAME: FieldRule = optional({
  accepts: isSettledBy,
  message: 'must be an epoch and an event',
  cure: 'Leave it as it was read.',
});

const RULES: Readonly<Record<RunFieldKind, FieldRule>> = {
  state: STATE,
  count: COUNT,
  text: optional(TEXT),
  context: optional(TEXT),
  length: optional(LENGTH),
  flag: optional(BOOLEAN),
  past: PAST,
  due: optional(NUMBER),
  errors: LIST,
  settlement: SETTLEMENT_NAME,
};

/** What a settlement reads of a run. */
const RUN: FieldRules<Run> = {
  ...{ lane: TEXT, payload: TEXT },
  ...Object.fromEntries(Object.entries(RUN_FIELDS).map(([key, kind]) => [key, RULES[kind]])),
};

const FACTS_CURE = 'Use what readErrorFacts returns.';

const A_CODE: FieldRule = optional({
  accepts: (value) => typeof value === 'string' || Number.isFinite(value),
  message: 'must be a finite number or text',
  cure: FACTS_CURE,
});

const A_FINITE_NUMBER: FieldRule = optional({
  accepts: (value) => Number.isFinite(value) && Number(value) >= 0,
  message: 'must be a finite number ≥ 0',
  cure: 'Leave it out if it is not known.',
});

/** The kinds of what a failed attempt stores; its texts may have any length. */
const ERROR: FieldRules<AttemptError> = {
  epoch: EPOCH,
  at: {
    accepts: Number.isFinite,
    message: 'must be a finite number',
    cure: 'It is when the attempt failed.',
  },
  startedAt: PAST,
  name: TEXT,
  message: TEXT,
  stack: optional(TEXT),
  reason: optional(TEXT),
  worker: optional(TEXT),
  context: optional(TEXT),
  durationMs: A_FINITE_NUMBER,
  stalledWith: A_FINITE_NUMBER,
  isRedacted: optional(BOOLEAN),
  code: A_CODE,
  causeCode: A_CODE,
  status: optional({ accepts: Number.isFinite, message: 'must be a finite number', cure: FACTS_CURE }),
  retryAfterMs: optional({
    accepts: (value) => value === 'refused' || (Number.isFinite(value) && Number(value) >= 0),
    message: "must be a finite number ≥ 0, or 'refused'",
    cure: FACTS_CURE,
  }),
  unrecorded: optional({
    accepts: areUnrecorded,
    message: 'must be a list of what is not recorded',
    cure: FACTS_CURE,
  }),
};

/** Finds what is wrong with what is to be stored of a run. */
export function findRunProblems(run: Run, path: string, { problems }: Findings): void {
  findWrongFields(run, RUN, { problems, path });
  const { errors } = run;
  if (!Array.isArray(errors)) return; // which its rule has reported
  for (const [index, error] of findList(`${path}.errors`, errors, problems).entries()) {
    const at = `${path}.errors[${index}]`;
    if (findObjectProblem(at, error, problems))
      findWrongFields<AttemptError>(error, ERROR, { problems, path: at });
  }
}

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
