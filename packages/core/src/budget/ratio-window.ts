import type { BudgetEvent, BudgetState, BudgetStep, RatioBudget } from './budget.ts';
import { DUST } from './budget.ts';

/** The window moves in slices, as Finagle's does: what happened is forgotten a tenth of the window at a time. */
const SLICES = 10;

/** An empty window: only the reserve can be spent. */
export function openWindow(nowAt: number): BudgetState {
  return { tokens: Array.from({ length: SLICES }, () => 0), steppedAt: nowAt };
}

/** A request puts `ratio` in, a retry takes 1 out of the window and its reserve. */
export function stepRatio(
  budget: RatioBudget,
  state: BudgetState,
  event: BudgetEvent,
  nowAt: number,
): BudgetStep {
  const current = slide(budget, state, nowAt);
  if (event.type === 'request') return { state: put(current, budget.ratio), isGranted: true, paid: 0 };
  if (event.type !== 'retry') return { state: current, isGranted: true, paid: 0 };

  const isGranted = balance(budget, current) >= 1;
  return { state: isGranted ? put(current, -1) : current, isGranted, paid: isGranted ? 1 : 0 };
}

function balance({ minPerSecond, windowMs }: RatioBudget, { tokens }: BudgetState): number {
  const reserve = (minPerSecond * windowMs) / 1_000;
  const saved = tokens.reduce((sum, slice) => sum + slice, reserve);
  return saved + DUST;
}

function put(state: BudgetState, amount: number): BudgetState {
  const [newest = 0, ...older] = state.tokens;
  return { ...state, tokens: [newest + amount, ...older] };
}

/** Moves the window on to now; slices that fall out of it are forgotten. */
function slide({ windowMs }: RatioBudget, state: BudgetState, nowAt: number): BudgetState {
  const sliceMs = windowMs / SLICES;
  const slices = Math.floor(Math.max(nowAt - state.steppedAt, 0) / sliceMs);
  if (slices === 0) return state;

  const fresh = Array.from({ length: Math.min(slices, SLICES) }, () => 0);
  const tokens = [...fresh, ...state.tokens].slice(0, SLICES);
  return { tokens, steppedAt: state.steppedAt + slices * sliceMs };
}
