import type { Policy, PolicyInput } from '@retry/core';
import { definePolicy, policyToJSON } from '@retry/core';
import type { PolicySettings } from '@retry/core/fields';
import { settingsOf } from '@retry/core/fields';
import type { CliEnvironment } from '../environment.ts';
import { CliError } from '../errors.ts';
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

/** People end a command by these, the last one by `| head`; it is not started again unless `--on-exit` names them. */
const INTERRUPTS: readonly ExitCode[] = ['SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGPIPE'];

/**
 * Returns the policy of `retry run`. An exit status is the `code` of an error, and so is the name of a signal.
 *
 * @throws {InvalidOptionsError} when the options do not make a policy
 * @throws {CliError} `WRONG_USAGE` for a base without a backoff that has one
 */
export async function readRunPolicy(options: RunPolicyOptions, environment: CliEnvironment): Promise<Policy> {
  const { policy } = options;
  const given = policy === undefined ? definePolicy(DEFAULTS) : await readPolicy(policy, environment);
  const base = policyToJSON(given);
  const { attempts, maxDelay, jitter, onExit, timeout, total } = options;
  const backoff = backoffOf(options, base.backoff, settingsOf(given).backoff);
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

/** @param written - that of the policy as JSON, which leaves the default out */
function backoffOf(
  { backoff, base }: RunPolicyOptions,
  written: PolicyInput['backoff'],
  given: PolicySettings['backoff'],
): PolicyInput['backoff'] {
  if (backoff === undefined && base === undefined) return written;
  const type = backoff ?? given.type;
  if (type === 'none' && base !== undefined) {
    const cure = 'Give another --backoff, or leave --base out.';
    throw new CliError(
      'WRONG_USAGE',
      `--base belongs to a backoff that waits, and this one is none. ${cure}`,
    );
  }
  if (type === 'none') return { type };
  const whole = { ...('baseMs' in given && { base: given.baseMs }), ...written };
  const kept = given.type === type ? whole : { base: 1_000 };
  // `definePolicy` checks it: a list takes no base.
  return { ...kept, type, ...(base !== undefined && { base }) } as PolicyInput['backoff'];
}

function stopOn(
  { stopOn: given = [] }: PolicyInput,
  { onExit = [], stopOnExit = [] }: Pick<RunPolicyOptions, 'onExit' | 'stopOnExit'>,
): PolicyInput['stopOn'] {
  const codes = [...stopOnExit, ...INTERRUPTS.filter((code) => !onExit.includes(code))];
  return codes.length === 0 ? given : [...given, { code: codes }];
}
