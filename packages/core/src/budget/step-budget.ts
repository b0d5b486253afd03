import type { Budget, BudgetEvent, BudgetState, BudgetStep, ThrottleBudget, TokenBucket } from './budget.ts';
import { DUST } from './budget.ts';
import { checkStep } from './check-step.ts';
import { openWindow, slide, stepRatio } from './ratio-window.ts';

/**
 * Returns the state of an unused budget.
 *
 * @throws {InvalidOptionsError} when an argument is wrong
 */
export function openBudget(budget: Budget, nowAt: number): BudgetState {
  checkStep('openBudget', { budget, nowAt });
  return openBudgetBy(budget, nowAt);
}

/** Opens a budget as `openBudget` does, for arguments that have been checked. */
export function openBudgetBy(budget: Budget, nowAt: number): BudgetState {
  switch (budget.type) {
    case 'token-bucket':
      return { tokens: [budget.capacity], steppedAt: nowAt };
    case 'throttle':
      return { tokens: [budget.maxTokens], steppedAt: nowAt };
    case 'ratio':
      return openWindow(nowAt);
  }
}

/**
 * Returns the state of a budget at an instant: refilled, or with its window moved on. Pure.
 *
 * @param nowAt - epoch milliseconds; if it is earlier than before, no time counts as elapsed
 * @throws {InvalidOptionsError} when an argument is wrong
 */
export function budgetAt(budget: Budget, state: BudgetState, nowAt: number): BudgetState {
  checkStep('budgetAt', { budget, state, nowAt });
  return moveTo(budget, state, nowAt);
}

function moveTo(budget: Budget, state: BudgetState, nowAt: number): BudgetState {
  switch (budget.type) {
    case 'token-bucket':
      return refill(budget, state, nowAt);
    case 'throttle':
      return state;
    case 'ratio':
      return slide(budget, state, nowAt);
  }
}

/**
 * Returns the state of a budget after an event, and whether a retry is granted. Pure.
 *
 * @param nowAt - epoch milliseconds; if it is earlier than before, no time counts as elapsed
 * @throws {InvalidOptionsError} when an argument is wrong
 * @see docs/sources.md#retry-budgets
 */
export function stepBudget(
  budget: Budget,
  state: BudgetState,
  event: BudgetEvent,
  nowAt: number,
): BudgetStep {
  checkStep('stepBudget', { budget, state, event, nowAt });
  return stepBudgetBy(budget, state, event, nowAt);
}

/** Steps as `stepBudget` does, for arguments that have been checked. */
export function stepBudgetBy(
  budget: Budget,
  state: BudgetState,
  event: BudgetEvent,
  nowAt: number,
): BudgetStep {
  const current = moveTo(budget, state, nowAt);
  switch (budget.type) {
    case 'token-bucket':
      return stepBucket(budget, current, event);
    case 'throttle':
      return stepThrottle(budget, current, event);
    case 'ratio':
      return stepRatio(budget, current, event);
  }
}

/**
 * Returns whether the budget would grant a retry now.
 *
 * @throws {InvalidOptionsError} when an argument is wrong
 */
export function allowsRetry(budget: Budget, state: BudgetState, nowAt: number, kind?: string): boolean {
  checkStep('allowsRetry', { budget, state, nowAt, kind });
  const event: BudgetEvent = kind === undefined ? { type: 'retry' } : { type: 'retry', kind };
  return stepBudgetBy(budget, state, event, nowAt).isGranted;
}

function refill({ capacity, refillPerSecond }: TokenBucket, state: BudgetState, nowAt: number): BudgetState {
  const steppedAt = Number.isNaN(state.steppedAt) ? nowAt : state.steppedAt;
  const elapsedMs = Math.max(nowAt - steppedAt, 0) || 0; // NaN moves nothing
  const [tokens = 0] = state.tokens;
  const added = (elapsedMs / 1_000) * refillPerSecond || 0; // as above: endless time without a refill
  return { tokens: [Math.min(tokens + added, capacity)], steppedAt: elapsedMs > 0 ? nowAt : steppedAt };
}

function stepBucket(
  { capacity, costs, refund }: TokenBucket,
  state: BudgetState,
  event: BudgetEvent,
): BudgetStep {
  const [tokens = 0] = state.tokens;
  if (event.type === 'success') {
    const filled = Math.min(tokens + Math.max(event.paid ?? refund, 0), capacity);
    return { state: { ...state, tokens: [filled] }, isGranted: true, paid: 0 };
  }
  if (event.type !== 'retry') return { state, isGranted: true, paid: 0 };

  const { kind = 'default' } = event;
  const cost = (Object.hasOwn(costs, kind) ? costs[kind] : undefined) ?? costs.default;
  if (cost > tokens + DUST) return { state, isGranted: false, paid: 0 };
  return { state: { ...state, tokens: [Math.max(tokens - cost, 0)] }, isGranted: true, paid: cost };
}

function stepThrottle(
  { maxTokens, tokenRatio }: ThrottleBudget,
  state: BudgetState,
  event: BudgetEvent,
): BudgetStep {
  const [tokens = 0] = state.tokens;
  switch (event.type) {
    case 'failure':
      return { state: { ...state, tokens: [Math.max(tokens - 1, 0)] }, isGranted: true, paid: 0 };
    case 'success':
      return {
        state: { ...state, tokens: [Math.min(tokens + tokenRatio, maxTokens)] },
        isGranted: true,
        paid: 0,
      };
    case 'retry':
      return { state, isGranted: tokens - maxTokens / 2 > DUST, paid: 0 };
    case 'request':
      return { state, isGranted: true, paid: 0 };
  }
}
