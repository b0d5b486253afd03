import { writtenKeys } from './define-policy.ts';
import type {
  Backoff,
  BackoffInput,
  DelayStrategyLike,
  Jitter,
  JitterInput,
  PolicyInput,
  PolicyKey,
  PolicySettings,
  Registry,
} from './policy.ts';

/** Returns the policy as an input of `definePolicy`: the keys that were written, every duration in milliseconds. */
export function toInput(policy: PolicySettings): PolicyInput {
  const { retryIf, retryAfter } = policy;
  const whole: Required<Pick<PolicyInput, Exclude<PolicyKey, 'retryIf'>>> & PolicyInput = {
    maxAttempts: policy.maxAttempts,
    initialDelay: policy.initialDelayMs,
    backoff: backoffInput(policy.backoff),
    jitter: jitterInput(policy.jitter),
    minDelay: policy.minDelayMs,
    maxDelay: policy.maxDelayMs,
    capAt: policy.capAt,
    granularity: policy.granularityMs,
    retryOn: policy.retryOn,
    stopOn: policy.stopOn,
    ...(retryIf !== undefined && { retryIf: retryIf.name ?? retryIf.test }),
    attemptTimeout: policy.attemptTimeoutMs,
    totalTimeout: policy.totalTimeoutMs,
    retryTimeouts: policy.retryTimeouts,
    retryAfter: { max: retryAfter.maxMs, mode: retryAfter.mode },
    retryable: policy.retryable,
  };
  return Object.fromEntries(writtenKeys(policy).map((key) => [key, whole[key]]));
}

/** Returns the strategy and the gate that the policy uses by name. */
export function registryOf({ backoff, retryIf }: PolicySettings): Registry {
  const isNamed = backoff.type === 'custom' && backoff.name !== undefined;
  return {
    strategies: isNamed ? { [backoff.name]: strategyInput(backoff) } : {},
    gates: retryIf?.name === undefined ? {} : { [retryIf.name]: retryIf.test },
  };
}

function strategyInput({ next, create }: Extract<Backoff, { readonly type: 'custom' }>): DelayStrategyLike {
  return create === undefined ? next : { create };
}

function jitterInput(jitter: Jitter): JitterInput {
  if (typeof jitter === 'string' || !('plusMinusMs' in jitter)) return jitter;
  return { plusMinus: jitter.plusMinusMs };
}

function backoffInput(backoff: Backoff): BackoffInput {
  switch (backoff.type) {
    case 'none':
      return { type: backoff.type };
    case 'list':
      return { type: backoff.type, delays: backoff.delaysMs };
    case 'linear':
      return { type: backoff.type, base: backoff.baseMs, increment: backoff.incrementMs };
    case 'exponential':
      return { type: backoff.type, base: backoff.baseMs, factor: backoff.factor };
    case 'custom':
      return { type: backoff.type, strategy: backoff.name ?? strategyInput(backoff), base: backoff.baseMs };
    case 'constant':
    case 'fibonacci':
    case 'decorrelated':
      return { type: backoff.type, base: backoff.baseMs };
  }
}
