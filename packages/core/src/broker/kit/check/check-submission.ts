import type { Problem } from '../../../errors.ts';
import { optional } from '../../../fields/check-arguments.ts';
import { isEnd } from '../../../lifecycle/run-state.ts';
import type { LaneConcurrency } from '../../exchange.ts';
import type { Concurrency } from '../../run.ts';
import type { Settlement } from '../../settlement.ts';
import type { Submission, Unique } from '../../submission.ts';
import { partitionTag } from '../partition-tag.ts';
import { textProblem } from '../storable/texts.ts';
import { type Findings, findObjectProblem, findTextProblem, NAME_CURE } from './check-findings.ts';
import { findContextProblem, findSpentProblems } from './check-spent.ts';
import type { FieldRules } from './field-rules.ts';
import { FLAG, findWrongFields, isObject, LENGTH, NUMBER_OR_NONE } from './field-rules.ts';

/** The highest limit of a concurrency key. */
export const MAX_CONCURRENCY = 2_147_483_647;

/** The longest policy of a run, in bytes of UTF-8. */
export const MAX_RETRY_BYTES = 16_384;

const SUBMISSION: FieldRules<Submission> = {
  runAt: NUMBER_OR_NONE,
  delayMs: NUMBER_OR_NONE,
  keepResultMs: optional(LENGTH),
  keyed: FLAG,
};

const PLAIN_KEYS: readonly string[] = ['id', 'lane', 'payload'] satisfies readonly (keyof Submission)[];

/** Whether a new run has only an id, a lane and a payload, and nothing is wrong with these: most have, so this is asked first. */
export function isPlainSubmission(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return false;
  const submission = given as Submission; // each of its fields is checked
  for (const key in submission) {
    if (!PLAIN_KEYS.includes(key) && submission[key as keyof Submission] !== undefined) return false; // one of its own keys
  }
  const { id, lane, payload } = submission;
  return typeof payload === 'string' && textProblem(id) === undefined && textProblem(lane) === undefined;
}

/** Finds what is wrong with one new run. */
export function findSubmissionProblems(submission: Submission, path: string, findings: Findings): void {
  const { problems, name } = findings;
  if (!findObjectProblem(path, submission, problems)) return;
  const { id, lane, payload, concurrency, fairnessKey, retry, origin, context, spent, unique } = submission;
  name(() => `${path}.id`, id);
  name(() => `${path}.lane`, lane);
  if (typeof payload !== 'string') findTextProblem(`${path}.payload`, payload, { problems });
  if (concurrency !== undefined) findConcurrencyProblems(concurrency, `${path}.concurrency`, problems);
  if (fairnessKey !== undefined) name(() => `${path}.fairnessKey`, fairnessKey);
  if (retry !== undefined) findRetryProblem(`${path}.retry`, retry, problems);
  if (origin !== undefined) name(() => `${path}.origin`, origin);
  if (context !== undefined) findContextProblem(`${path}.context`, context, problems);
  if (spent !== undefined) findSpentProblems(spent, `${path}.spent`, findings);
  findWrongFields(submission, SUBMISSION, { problems, path });
  if (unique !== undefined && findObjectProblem(`${path}.unique`, unique, problems))
    problems.push(...uniqueProblems(unique, submission, `${path}.unique`));
}

/** Finds what is wrong with the run that a settlement submits. */
export function findSettlementSubmitProblems(
  { id, next, submit }: Settlement,
  path: string,
  findings: Findings,
): void {
  if (submit === undefined) return;
  findSubmissionProblems(submit, path, findings);
  const { problems } = findings;
  if (!isObject(submit)) return;
  if (submit.unique !== undefined) {
    const cure = 'Submit it by itself.';
    problems.push({
      path: `${path}.unique`,
      value: submit.unique,
      message: 'cannot be in a settlement',
      cure,
    });
  }
  if (!isEnd(next.state)) {
    const cure = 'Only a settlement that ends its run can submit another one.';
    problems.push({ path, value: next.state, message: 'needs a run that ends', cure });
  }
  if (textProblem(submit.id) === undefined && partitionTag(submit.id) !== partitionTag(id)) {
    const cure = 'Begin it with { + partitionTag(id of the settled run) + }.';
    problems.push({
      path: `${path}.id`,
      value: submit.id,
      message: 'must have the tag of the settled run',
      cure,
    });
  }
}

function findRetryProblem(path: string, value: unknown, problems: Problem[]): void {
  const message = textProblem(value, MAX_RETRY_BYTES);
  if (message === undefined) return;
  const cure = 'It is a policy as JSON text; leave it out for the policy of its task.';
  problems.push({ path, value, message, cure });
}

function uniqueProblems(
  { key, until, onConflict }: Unique,
  { id, keyed = false }: Submission,
  path: string,
): readonly Problem[] {
  const problems: Problem[] = [];
  const refuse = (at: string, value: unknown, message: string, cure: string): void => {
    problems.push({ path: `${path}${at}`, value, message, cure });
  };
  if (typeof id === 'string' && partitionTag(id) !== key)
    refuse('.key', key, "must be the tag of the run's id", 'Begin the id with { + key + }.');
  const isTime = typeof until === 'number' && until > 0;
  if (until !== 'started' && until !== 'ended' && !isTime)
    refuse('.until', until, "must be 'started', 'ended' or milliseconds > 0", "Use 'ended'.");
  if (onConflict !== 'keep' && onConflict !== 'replace')
    refuse('.onConflict', onConflict, "must be 'keep' or 'replace'", "Use 'keep'.");
  if (keyed)
    refuse(
      '',
      key,
      'cannot be combined with keyed',
      'A keyed id stays known after its run; leave out one of them.',
    );
  return problems;
}

const CONCURRENCY: FieldRules<Concurrency> = { holdWhileRetrying: FLAG };

function findConcurrencyProblems(concurrency: Concurrency, path: string, problems: Problem[]): void {
  if (!findObjectProblem(path, concurrency, problems)) return;
  const message = textProblem(concurrency.key);
  if (message !== undefined)
    problems.push({ path: `${path}.key`, value: concurrency.key, message, cure: NAME_CURE });
  findLimitProblems(concurrency, path, problems);
  findWrongFields(concurrency, CONCURRENCY, { problems, path });
}

/** Finds what is wrong with the limit of a key, and with what happens to runs beyond it. */
export function findLimitProblems(
  { limit, whenFull }: LaneConcurrency,
  path: string,
  problems: Problem[],
): void {
  const refuse = (at: string, value: unknown, message: string, cure: string): void => {
    problems.push({ path: `${path}.${at}`, value, message, cure });
  };
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_CONCURRENCY) {
    const range = `must be an integer from 1 to ${MAX_CONCURRENCY}`;
    refuse('limit', limit, range, 'Leave the concurrency out for no limit.');
  }
  if (whenFull !== 'wait' && whenFull !== 'claim')
    refuse('whenFull', whenFull, "must be 'wait' or 'claim'", "Use 'wait'.");
}
