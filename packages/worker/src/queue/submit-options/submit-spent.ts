import { InvalidOptionsError } from '@retry/core';
import type { Spent } from '@retry/core/broker';
import { MAX_CONTEXT_BYTES, MAX_ERRORS, spentProblems, textProblem } from '@retry/core/broker/kit';
import type { RecordedAttempt } from '@retry/core/failures';
import type { Fields, Report } from '@retry/core/fields';
import { readFields } from '@retry/core/fields';
import { clip } from '../../error-text.ts';
import type { InstantInput } from '../../option-rules.ts';
import { readInstant } from '../../option-rules.ts';
import { wellFormed } from '../../settle/stored-error.ts';

/** What a run brings along from elsewhere: a call that failed before it was handed to the queue, say. */
export interface SpentOptions {
  /** How many attempts were made there, an integer ≥ 0 and less than `maxAttempts`: the run's first attempt is the next one. */
  readonly attempts: number;
  /** What those failed with, oldest first; the latest 20 are kept, without stacks, and 1000 characters of each message. @default none */
  readonly errors?: readonly RecordedAttempt[] | undefined;
  /** When the first of them started: `totalTimeout` counts from then. @default at the first start */
  readonly firstStartedAt?: InstantInput | undefined;
}

const KEYS = ['attempts', 'errors', 'firstStartedAt'];

/** The longest name or message of an error that is brought along, in UTF-16 units. */
const MAX_TEXT_LENGTH = 1_000;

/** Reads the option `context`; a wrong one is reported. */
export function readContext(fields: Fields): string | undefined {
  const context = fields.value('context');
  if (context === undefined) return undefined;
  const problem = textProblem(context, MAX_CONTEXT_BYTES);
  if (problem !== undefined)
    fields.fail('context', problem, 'Use the text of a traceparent, or leave it out.');
  return String(context);
}

/** Reads the option `spent`; wrong values are reported. */
export function readSpent(fields: Fields, report: Report): Spent | undefined {
  const given = fields.value('spent');
  if (given === undefined) return undefined;
  const path = fields.path('spent');
  const inner = readFields(given, path, { keys: KEYS, report });
  if (inner === undefined) return undefined;
  const [attempts, errors] = ['attempts', 'errors'].map(inner.value);
  const firstStartedAt = readInstant(inner, 'firstStartedAt');
  const spent = {
    attempts,
    ...(errors !== undefined && {
      errors: Array.isArray(errors) ? errors.slice(-MAX_ERRORS).map(keepable) : errors,
    }),
    ...(firstStartedAt !== undefined && { firstStartedAt: whole(firstStartedAt) }),
  } as Spent; // checked in the next line
  for (const problem of spentProblems(spent, path)) report(problem);
  return spent;
}

/** Refuses a run that has no attempt left. @throws {InvalidOptionsError} */
export function checkSpent({ attempts }: Spent, maxAttempts: number, subject = 'submit'): void {
  if (attempts === 0 || attempts < maxAttempts) return;
  const message = `must be less than maxAttempts, which is ${maxAttempts}`;
  const cure = 'A run without an attempt left is not started: leave spent out, or raise maxAttempts.';
  throw new InvalidOptionsError([{ path: 'spent.attempts', value: attempts, message, cure }], subject);
}

/** A recorded attempt in whole milliseconds and in text that every broker keeps; anything else as it is. */
function keepable(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { stack: _, epoch: __, ...rest } = error as RecordedAttempt & { stack?: unknown; epoch?: unknown }; // its fields are checked later
  const { name, message, worker, at, startedAt } = rest;
  const texts = Object.entries({ name, message, worker }).flatMap(([key, text]) =>
    typeof text === 'string' ? [[key, clip(text, MAX_TEXT_LENGTH)] as const] : [],
  );
  return wellFormed({
    ...rest,
    ...Object.fromEntries(texts),
    at: whole(at),
    ...(startedAt !== undefined && { startedAt: whole(startedAt) }),
  });
}

function whole<Value>(instant: Value): Value | number {
  return typeof instant === 'number' ? Math.floor(instant) : instant;
}
