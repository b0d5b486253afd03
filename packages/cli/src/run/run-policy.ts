import type { Policy, PolicyInput } from '@retry/core';
import { definePolicy, policyToJSON } from '@retry/core';
import type { CliEnvironment } from '../environment.ts';
import { readPolicy } from '../policies/read-policy.ts';
import type { ExitCode } from './exit-codes.ts';

/** The options of `retry run` that make its policy; durations are milliseconds. */
export interface RunPolicyOptions {
  /** A file or JSON, which the other options change. */
  readonly policy?: string;
  readonly attempts?: number;
  readonly backoff?: 'none' | 'constant' | 'linear' | 'exponential' | 'fibonacci' | 'decorrelated';
  readonly base?: number;
  readonly maxDelay?: number;
  readonly jitter?: 'none' | 'full' | 'equal';
  readonly onExit?: readonly ExitCode[];
  readonly stopOnExit?: readonly ExitCode[];
  readonly timeout?: number;
  readonly total?: number;
}

/** Slower than the defaults of calls: a command takes longer to start than a request. */
const DEFAULTS: PolicyInput = {
  maxAttempts: 3,
  backoff: { type: 'exponential', base: '1s' },
  maxDelay: '1m',
};

/** People end a command by these; it is not started again unless `--on-exit` names them. */
const INTERRUPTS: readonly ExitCode[] = ['SIGINT', 'SIGQUIT', 'SIGHUP'];

/**
 * Returns the policy of `retry run`. An exit status is the `code` of an error, and so is the name of a signal.
 *
 * @throws {InvalidOptionsError} when the options do not make a policy
 */
export async function readRunPolicy(options: RunPolicyOptions, environment: CliEnvironment): Promise<Policy> {
  const { policy } = options;
  const base = policy === undefined ? DEFAULTS : policyToJSON(await readPolicy(policy, environment));
  const { attempts, maxDelay, jitter, onExit, timeout, total } = options;
  const backoff = backoffOf(options, base);
  return definePolicy({
    ...base,
    ...(attempts !== undefined && { maxAttempts: attempts }),
    ...(backoff !== undefined && { backoff }),
    ...(maxDelay !== undefined && { maxDelay }),
    ...(jitter !== undefined && { jitter }),
    ...(onExit !== undefined && { retryOn: [{ code: onExit }] }),
    stopOn: stopOn(base, options),
    ...(timeout !== undefined && { attemptTimeout: timeout }),
    ...(total !== undefined && { totalTimeout: total }),
  });
}

function backoffOf(
  { backoff, base }: RunPolicyOptions,
  { backoff: given }: PolicyInput,
): PolicyInput['backoff'] {
  if (backoff === undefined && base === undefined) return given;
  const type = backoff ?? given?.type ?? 'exponential';
  if (type === 'none') return { type };
  // `definePolicy` checks it: a list takes no base.
  return { ...(given?.type === type && given), type, base: base ?? 1_000 } as PolicyInput['backoff'];
}

function stopOn(
  { stopOn: given = [] }: PolicyInput,
  { onExit = [], stopOnExit = [] }: Pick<RunPolicyOptions, 'onExit' | 'stopOnExit'>,
): PolicyInput['stopOn'] {
  const codes = [...stopOnExit, ...INTERRUPTS.filter((code) => !onExit.includes(code))];
  return codes.length === 0 ? given : [...given, { code: codes }];
}
