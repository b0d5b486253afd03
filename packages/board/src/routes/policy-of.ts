import type { Policy, PolicyInput } from '@retry/core';
import { isSerializable, parsePolicy, policyToJSON } from '@retry/core';
import { allowedAttempts, settingsOf } from '@retry/core/fields';
import type { AnyTask, RunView } from '@retry/worker';
import type { KnownTask, RunPolicy } from '../api.ts';
import type { Desk } from './call.ts';

/** The policy that decides about a run; none where the board does not know it. */
interface DecidingPolicy {
  readonly shown: RunPolicy;
  readonly policy?: Policy;
}

/** Returns the policy of a run: its own, else that of its task. */
export function policyOf({ tasks }: Desk, { retry, lane }: RunView): DecidingPolicy {
  if (retry !== undefined) return ownPolicy(retry);
  const task = tasks.get(lane);
  return task === undefined ? { shown: { from: 'unknown' } } : known('task', task.retry);
}

/** Returns a task as the page has it. */
export function knownTask({ name: task, version, lane, retry }: AnyTask): KnownTask {
  return { task, version, lane, ...jsonOf(retry) };
}

function ownPolicy(retry: PolicyInput): DecidingPolicy {
  try {
    return known('run', parsePolicy(retry));
  } catch {
    // It names a strategy of a registry that the board does not have.
    return { shown: { from: 'run', policy: retry, maxAttempts: null } };
  }
}

function known(from: 'run' | 'task', policy: Policy): DecidingPolicy {
  const maxAttempts = allowedAttempts(settingsOf(policy));
  const most = Number.isFinite(maxAttempts) ? maxAttempts : null;
  return { policy, shown: { from, ...jsonOf(policy), maxAttempts: most } };
}

function jsonOf(policy: Policy): { readonly policy?: PolicyInput } {
  return isSerializable(policy) ? { policy: policyToJSON(policy) } : {};
}
