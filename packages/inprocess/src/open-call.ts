import type { DelayStrategy } from '@retry/core';
import { settingsOf, withSettings } from '@retry/core/fields';
import { AbortableCall } from './abortable-call.ts';
import { Call } from './call.ts';
import { installed } from './instruments.ts';
import type { Plan } from './plan.ts';

/** A call of which nothing has to be known yet; it is made when its first attempt has failed. */
export function openLater({ isBare }: Plan): boolean {
  return isBare && installed.nesting === undefined && installed.observe === undefined;
}

/** Begins a call: its budget and its group count it. */
export function openCall(plan: Plan, parameters: readonly unknown[] = []): Call {
  const isTimed = plan.isTimed || installed.observe !== undefined;
  const startedAt = isTimed ? plan.clock.now() : Number.NaN;
  const own = withOwnStrategy(plan);
  const call = new (plan.signal === undefined ? Call : AbortableCall)(own, startedAt);
  call.parameters = parameters;
  plan.options.group?.enter();
  plan.budget?.record({ type: 'request' });
  return call;
}

/** A strategy that remembers is made for each call, at its first retry: what its maker throws stops that call alone. */
function withOwnStrategy(plan: Plan): Plan {
  const { backoff } = settingsOf(plan.policy);
  if (backoff.type !== 'custom' || backoff.create === undefined) return plan;
  const { create } = backoff;
  let made: DelayStrategy | undefined;
  const next: DelayStrategy = (retry, context) => {
    made ??= create();
    return made(retry, context);
  };
  return { ...plan, policy: withSettings(plan.policy, { backoff: { ...backoff, next } }) };
}
