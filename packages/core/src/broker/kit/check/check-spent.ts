import type { Problem } from '../../../errors.ts';
import type { Spent, SpentError } from '../../submission.ts';
import { MAX_ERRORS } from '../run/run-errors.ts';
import { isWholeInstant } from '../storable/instants.ts';
import { textProblem, utf8Bytes } from '../storable/texts.ts';
import { findErrorProblems } from './check-error.ts';
import { entriesOf, type Findings, findingsIn, findObjectProblem } from './check-findings.ts';

/** The longest context of a run, in bytes of UTF-8. */
export const MAX_CONTEXT_BYTES = 512;

/** How long what a run brings along may be as JSON, in bytes of UTF-8. */
const MAX_SPENT_BYTES = 262_144;

/** The most attempts that a run can bring along. */
const MAX_CARRIED = 2_147_483_647;

/** Finds what is wrong with the context of a run. */
export function findContextProblem(path: string, value: unknown, problems: Problem[]): void {
  const message = textProblem(value, MAX_CONTEXT_BYTES);
  if (message === undefined) return;
  problems.push({ path, value, message, cure: 'It is the text of a traceparent; leave it out for none.' });
}

/** Returns what is wrong with what a run brings along; nothing where all is well. */
export function spentProblems(spent: Spent, path: string): readonly Problem[] {
  const problems: Problem[] = [];
  findSpentProblems(spent, path, findingsIn(problems));
  return problems;
}

/** Finds what is wrong with what a run brings along. */
export function findSpentProblems(spent: Spent, path: string, findings: Findings): void {
  const { problems } = findings;
  if (!findObjectProblem(path, spent, problems)) return;
  const { attempts, errors = [], firstStartedAt } = spent;
  const before = problems.length;
  if (!Number.isInteger(attempts) || attempts < 0 || attempts > MAX_CARRIED) {
    const message = `must be an integer from 0 to ${MAX_CARRIED}`;
    problems.push({
      path: `${path}.attempts`,
      value: attempts,
      message,
      cure: 'Count the attempts made there.',
    });
  }
  if (firstStartedAt !== undefined && !isWholeInstant(firstStartedAt))
    problems.push(notKept(`${path}.firstStartedAt`, firstStartedAt, 'must be a whole instant'));
  if (!Array.isArray(errors) || errors.length > MAX_ERRORS) {
    const message = `must be a list of at most ${MAX_ERRORS} errors`;
    problems.push({ path: `${path}.errors`, value: errors, message, cure: 'Keep the latest ones.' });
    return;
  }
  for (const [index, error] of entriesOf(errors)) findOwn(error, `${path}.errors[${index}]`, findings);
  if (problems.length > before || utf8Bytes(JSON.stringify(spent)) <= MAX_SPENT_BYTES) return;
  const message = `must have at most ${MAX_SPENT_BYTES} bytes as JSON`;
  problems.push({ path: `${path}.errors`, value: errors.length, message, cure: 'Shorten the messages.' });
}

/** Numbers and texts that only an attempt's record has, and that an operator's error has not. */
const NUMBERS = ['startedAt', 'durationMs', 'stalledWith'] as const satisfies readonly (keyof SpentError)[];
const TEXTS = ['worker', 'reason'] as const satisfies readonly (keyof SpentError)[];

function findOwn(error: SpentError & { readonly stack?: unknown }, path: string, findings: Findings): void {
  const { problems } = findings;
  if (typeof error !== 'object' || error === null) {
    problems.push(notKept(path, error, 'must be the record of a failed attempt'));
    return;
  }
  const { stack, ...rest } = error;
  findErrorProblems(rest, path, findings);
  if (stack !== undefined)
    problems.push({ path: `${path}.stack`, value: stack, message: 'cannot be kept', cure: 'Leave it out.' });
  if (!isWholeInstant(error.at)) problems.push(notKept(`${path}.at`, error.at, 'must be a whole instant'));
  for (const key of NUMBERS) {
    const value: unknown = error[key];
    if (value !== undefined && !(Number.isFinite(value) && Number(value) >= 0))
      problems.push(notKept(`${path}.${key}`, value, 'must be a finite number ≥ 0'));
  }
  if (error.isRedacted !== undefined && typeof error.isRedacted !== 'boolean')
    problems.push(notKept(`${path}.isRedacted`, error.isRedacted, 'must be true or false'));
  for (const key of TEXTS) {
    const message = error[key] === undefined ? undefined : textProblem(error[key]);
    if (message !== undefined) problems.push(notKept(`${path}.${key}`, error[key], message));
  }
}

function notKept(path: string, value: unknown, message: string): Problem {
  return { path, value, message, cure: 'Use what a run stores of a failed attempt.' };
}
