import { writtenKeys } from './define-policy.ts';
import type { Backoff, BackoffInput, Jitter, JitterInput } from './delays.ts';
import type { PolicyInput, PolicyKey, PolicySettings, ServerDelayRule } from './policy.ts';
import type { DelayStrategyLike, Registry } from './strategy.ts';

/** Returns the policy as an input of `definePolicy`: the keys that were written, every duration in milliseconds. */
export function toInput(policy: PolicySettings): PolicyInput {
  const { retryIf } = policy;
  const whole: Required<Pick<PolicyInput, Exclude<PolicyKey, 'retryIf'>>> & PolicyInput = {
    maxAttempts: policy.maxAttempts,
    initialDelay: policy.initialDelayMs,
    backoff: backoffInput(policy.backoff),
    delays: policy.delays.map(({ on, backoff, jitter }) => ({
      on,
      backoff: backoffInput(backoff),
      jitter: jitterInput(jitter),
    })),
    immediateFirst: policy.immediateFirst,
    jitter: jitterInput(policy.jitter),
    minDelay: policy.minDelayMs,
    maxDelay: policy.maxDelayMs,
    capAt: policy.capAt,
    granularity: policy.granularityMs,
    retryOn: policy.retryOn,
    stopOn: policy.stopOn,
    idempotent: policy.idempotent,
    ...(retryIf !== undefined && { retryIf: retryIf.name ?? retryIf.test }),
    attemptTimeout: policy.attemptTimeoutMs,
    totalTimeout: policy.totalTimeoutMs,
    retryTimeouts: policy.retryTimeouts,
    retryAfter: serverDelayInput(policy.retryAfter),
    retryable: policy.retryable,
  };
  return Object.fromEntries(writtenKeys(policy).map((key) => [key, whole[key]]));
}

/** Returns the strategy and the gate that the policy uses by name. */
export function registryOf({ backoff, delays, retryIf }: PolicySettings): Registry {
  const named = [backoff, ...delays.map((entry) => entry.backoff)].flatMap((each) =>
    each.type === 'custom' && each.name !== undefined ? [[each.name, strategyInput(each)] as const] : [],
  );
  return {
    strategies: Object.fromEntries(named),
    gates: retryIf?.name === undefined ? {} : { [retryIf.name]: retryIf.test },
  };
}

function strategyInput({ next, create }: Extract<Backoff, { readonly type: 'custom' }>): DelayStrategyLike {
  return create === undefined ? next : { create };
}

function jitterInput(jitter: Jitter): JitterInput {
  return withoutUnits(jitter);
}

/** `{ plusMs: 5 }` is written as `{ plus: 5 }`. */
function withoutUnits<Written>(settings: string | object): Written {
  if (typeof settings === 'string') return settings as Written; // a name is written as it is
  const entries = Object.entries(settings).map(([key, value]) => [key.replace(/Ms$/, ''), value]);
  return Object.fromEntries(entries) as Written; // the keys of what was read
}

function serverDelayInput({ maxMs, mode, beyondMax, jitter }: ServerDelayRule): ServerDelayInput {
  return {
    max: maxMs,
    mode,
    beyondMax,
    jitter: withoutUnits(jitter),
  };
}

type ServerDelayInput = NonNullable<PolicyInput['retryAfter']>;

function backoffInput(backoff: Backoff): BackoffInput {
  switch (backoff.type) {
    case 'none':
      return { type: backoff.type };
    case 'list':
      return { type: backoff.type, delays: backoff.delaysMs };
    case 'linear':
      return { type: backoff.type, base: backoff.baseMs, increment: backoff.incrementMs };
    case 'exponential':
    case 'polynomial':
      return withoutUnits(backoff);
    case 'custom':
      return { type: backoff.type, strategy: backoff.name ?? strategyInput(backoff), base: backoff.baseMs };
    case 'constant':
    case 'fibonacci':
    case 'decorrelated':
      return { type: backoff.type, base: backoff.baseMs };
  }
}
