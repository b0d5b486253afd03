import type { Duration } from '@retry/core';
import { InvalidOptionsError } from '@retry/core';
import { textProblem } from '@retry/core/broker/kit';
import type { Fields } from '@retry/core/fields';
import { A_SIGNAL, writtenIn } from '@retry/core/fields';
import type { Submitted } from '../submission.ts';

/** The options of `queue.waitForResult`. */
export interface WaitForResultOptions {
  /** How long to wait before rejecting with a `WaitTimeoutError`; the run is not cancelled. @default '30s' */
  readonly timeout?: Duration | undefined;
  /** Ends the wait immediately, which rejects with `signal.reason`; the run is not cancelled. */
  readonly signal?: AbortSignal | undefined;
}

/** Waits for the result of a run, given what `submit` returned (which carries the result's type) or any run id. */
export type WaitForResult = <Result = unknown>(
  run: Submitted<Result> | string,
  options?: WaitForResultOptions,
) => Promise<Result>;

/** The checked options of a wait. */
export interface WaitLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The keys of {@link WaitForResultOptions}. */
export const WAIT_KEYS = ['timeout', 'signal'] as const;

/** What holds where a wait has no options. */
export const WAIT_DEFAULTS: WaitLimits = Object.freeze({ timeoutMs: 30_000, signal: undefined });

/** Reads the options of a wait; every wrong one is reported. */
export function readWaitLimits(fields: Fields): WaitLimits {
  return {
    timeoutMs: fields.duration('timeout', WAIT_DEFAULTS.timeoutMs),
    signal: fields.optional('signal', A_SIGNAL) as AbortSignal | undefined, // signals of this runtime have a reason
  };
}

/** Reads a run's id, given by itself or in what `submit` returned. @throws {InvalidOptionsError} when it is not an id */
export function readRunId(run: unknown, subject: string): string {
  const { id = run } = writtenIn(run, ['id']) ?? {};
  return readId(id, subject);
}

/** Reads an id that brokers can store. @throws {InvalidOptionsError} when it is not an id */
export function readId(id: unknown, subject: string): string {
  const message = textProblem(id);
  if (message === undefined) return String(id);
  const cure = 'Give the id that submit returned: const { id } = await queue.submit(…).';
  throw new InvalidOptionsError([{ path: 'id', value: id, message, cure }], subject);
}
