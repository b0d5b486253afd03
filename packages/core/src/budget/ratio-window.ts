import type { BudgetEvent, BudgetState, BudgetStep, RatioBudget } from './budget.ts';
import { DUST } from './budget.ts';

/** The window moves in slices, as Finagle's does: events leave it a tenth of its length at a time. */
const SLICES = 10;

/** Returns an empty window: only the reserve can be spent. */
export function openWindow(nowAt: number): BudgetState {
  return { tokens: Array.from({ length: SLICES }, () => 0), steppedAt: nowAt };
}

/** Applies an event: a request adds `ratio`, a granted retry takes 1; window and reserve together must cover it. */
export function stepRatio(
  budget: RatioBudget,
  state: BudgetState,
  event: BudgetEvent,
  nowAt: number,
): BudgetStep {
  const current = slide(budget, state, nowAt);
  if (event.type === 'request') return { state: addTokens(current, budget.ratio), isGranted: true, paid: 0 };
  if (event.type !== 'retry') return { state: current, isGranted: true, paid: 0 };

  const isGranted = balance(budget, current) >= 1;
  return { state: isGranted ? addTokens(current, -1) : current, isGranted, paid: isGranted ? 1 : 0 };
}

function balance({ minPerSecond, windowMs }: RatioBudget, { tokens }: BudgetState): number {
  const reserve = (minPerSecond * windowMs) / 1_000;
  const total = tokens.reduce((sum, slice) => sum + slice, reserve);
  return total + DUST;
}

function addTokens(state: BudgetState, amount: number): BudgetState {
  const [newest = 0, ...older] = state.tokens;
  return { ...state, tokens: [newest + amount, ...older] };
}

/** Moves the window to `nowAt`; slices that leave it are dropped. */
function slide({ windowMs }: RatioBudget, state: BudgetState, nowAt: number): BudgetState {
  const sliceMs = windowMs / SLICES;
  const slices = Math.floor(Math.max(nowAt - state.steppedAt, 0) / sliceMs);
  if (slices === 0) return state;

  const fresh = Array.from({ length: Math.min(slices, SLICES) }, () => 0);
  const tokens = [...fresh, ...state.tokens].slice(0, SLICES);
  return { tokens, steppedAt: state.steppedAt + slices * sliceMs };
}
