import type { Budget } from '../../budget/budget.ts';
import { openBudgetBy, stepBudgetBy } from '../../budget/step-budget.ts';
import { countsBy } from '../../circuit-breaker/counts-as-failure.ts';
import { closeBreakerBy, stepBreakerBy } from '../../circuit-breaker/step-breaker.ts';
import type { FailReason } from '../../decision/decision.ts';
import type { World } from '../world/world.ts';
import type { EventQueue } from './event-queue.ts';
import type { BudgetOfProcess } from './share-budget.ts';
import { shareBudget } from './share-budget.ts';

/** What the calls of one process share at one layer: its retry budget and its circuit breaker, those of core. */
export interface Guard extends BudgetOfProcess {
  /** Returns the ticket of an attempt; `undefined` where the circuit breaker is open. */
  readonly permit: () => number | undefined;
  /** Reports the outcome of an attempt. @returns whether the circuit breaker is closed */
  readonly report: (outcome: 'success' | 'failure' | 'abandon', ticket: number) => boolean;
}

/** Creates the guards of the processes at one layer. */
export function guardsOf(world: World, queue: EventQueue): () => Guard {
  const { budget } = world;
  const openBudget = budget?.type === 'shared' ? shareBudget(budget, queue) : () => budgetOf(budget, queue);
  return () => ({ ...breakerOf(world, queue), ...openBudget() });
}

function breakerOf({ circuitBreaker }: World, queue: EventQueue): Pick<Guard, 'permit' | 'report'> {
  if (circuitBreaker === undefined) return { permit: () => 0, report: () => true };
  let state: ReturnType<typeof stepBreakerBy>['state'] = closeBreakerBy(queue.now(), 0);
  return {
    permit: () => {
      const step = stepBreakerBy(circuitBreaker, state, { type: 'permit' }, queue.now());
      state = step.state;
      return step.effect.type === 'permitted' ? step.effect.ticket : undefined;
    },
    report: (type, ticket) => {
      state = stepBreakerBy(circuitBreaker, state, { type, ticket }, queue.now()).state;
      return state.type === 'closed';
    },
  };
}

/** A budget of the process itself waits for nothing. */
const ANSWERED = {
  isUnanswered: () => false,
  onAnswer: (act: () => void) => act(),
} as const satisfies Partial<BudgetOfProcess>;

function budgetOf(budget: Budget | undefined, queue: EventQueue): BudgetOfProcess {
  if (budget === undefined) return { ...ANSWERED, allowsRetry: () => true, record: () => 0 };
  let state = openBudgetBy(budget, queue.now());
  return {
    ...ANSWERED,
    allowsRetry: (kind) => {
      const now = queue.now();
      const failed = stepBudgetBy(budget, state, { type: 'failure' }, now);
      return stepBudgetBy(budget, failed.state, { type: 'retry', kind }, now).isGranted;
    },
    record: (event) => {
      const step = stepBudgetBy(budget, state, event, queue.now());
      state = step.state;
      return step.paid;
    },
  };
}

/** What a failed attempt says to the circuit breaker and the budget, by what was decided about it. */
export function outcomeOf(reason: FailReason | undefined): 'failure' | 'abandon' {
  return countsBy(reason) ? 'failure' : 'abandon';
}
