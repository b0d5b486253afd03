import { addToNewest, emptySlices, shiftSlices, slideTo, sumOf } from '../sliding-window.ts';
import type { BudgetEvent, BudgetState, BudgetStep, RatioBudget } from './budget.ts';
import { DUST } from './budget.ts';

/** Returns an empty window: only the reserve can be spent. */
export function openWindow(nowAt: number): BudgetState {
  return { tokens: emptySlices(), steppedAt: nowAt };
}

/** Applies an event: a request adds `ratio`, a granted retry takes 1; window and reserve together must cover it. */
export function stepRatio(budget: RatioBudget, current: BudgetState, event: BudgetEvent): BudgetStep {
  if (event.type === 'request') return { state: addTokens(current, budget.ratio), isGranted: true, paid: 0 };
  if (event.type !== 'retry') return { state: current, isGranted: true, paid: 0 };

  const isGranted = balance(budget, current) >= 1;
  return { state: isGranted ? addTokens(current, -1) : current, isGranted, paid: isGranted ? 1 : 0 };
}

function balance({ minPerSecond, windowMs }: RatioBudget, { tokens }: BudgetState): number {
  const reserve = (minPerSecond * windowMs) / 1_000;
  return reserve + sumOf(tokens) + DUST;
}

function addTokens(state: BudgetState, amount: number): BudgetState {
  return { ...state, tokens: addToNewest(state.tokens, amount) };
}

/** Moves the window to `nowAt`; slices that leave it are dropped. */
export function slide({ windowMs }: RatioBudget, state: BudgetState, nowAt: number): BudgetState {
  const { count, steppedAt } = slideTo(windowMs, state.steppedAt, nowAt);
  return steppedAt === state.steppedAt ? state : { tokens: shiftSlices(state.tokens, count), steppedAt };
}
