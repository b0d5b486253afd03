import { writtenKeys } from './define-policy.ts';
import type {
  Backoff,
  BackoffInput,
  DelayStrategyLike,
  Jitter,
  JitterInput,
  Policy,
  PolicyInput,
  Registry,
} from './policy.ts';

/** The policy as somebody could have written it: only the keys that were written, every duration in ms. */
export function toInput(policy: Policy): PolicyInput {
  const { retryIf, retryAfter } = policy;
  const whole: Required<Omit<PolicyInput, 'retryIf'>> & PolicyInput = {
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

/** The named strategy and gate that the policy uses, under their names. */
export function registryOf({ backoff, retryIf }: Policy): Registry {
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
    default:
      return { type: backoff.type, base: backoff.baseMs };
  }
}
