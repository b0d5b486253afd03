import { AN_INSTANT, type ArgumentRule, checkArguments, oneOf } from '../fields/check-arguments.ts';
import { read } from '../read.ts';
import type { Budget, BudgetEvent } from './budget.ts';

const TYPES: readonly Budget['type'][] = ['token-bucket', 'ratio', 'throttle'];

const EVENTS: readonly BudgetEvent['type'][] = ['request', 'retry', 'success', 'failure'];

/** What a function of budgets was given; `state` and `event` only if it takes them. */
interface Given {
  readonly budget: unknown;
  readonly nowAt: unknown;
  readonly state?: unknown;
  readonly event?: unknown;
}

/**
 * Checks the arguments of a step of a budget. Every attempt passes here: the rules are read only if something is wrong.
 *
 * @throws {InvalidOptionsError} listing every wrong argument
 */
export function checkStep(subject: string, given: Given): void {
  const { budget, nowAt, state, event } = given;
  const isState = !('state' in given) || Array.isArray(read(state, 'tokens'));
  const isEvent = !('event' in given) || EVENTS.includes(read(event, 'type') as BudgetEvent['type']); // any value may be looked for
  const isBudget = TYPES.includes(read(budget, 'type') as Budget['type']); // as above
  if (isBudget && isState && isEvent && typeof nowAt === 'number') return;
  checkArguments(subject, {
    'budget.type': [read(budget, 'type'), { ...oneOf(TYPES), cure: 'Use defineBudget({ … }).' }],
    ...('state' in given && { 'state.tokens': [read(state, 'tokens'), A_LIST_OF_TOKENS] }),
    ...('event' in given && { 'event.type': [read(event, 'type'), oneOf(EVENTS)] }),
    nowAt: [nowAt, AN_INSTANT],
  });
}

const A_LIST_OF_TOKENS: ArgumentRule = {
  accepts: Array.isArray,
  message: 'must be a list of tokens',
  cure: 'Use openBudget(budget, nowAt).',
};

/** @throws {InvalidOptionsError} when the kind of a retry is no text */
export function checkKind(kind: unknown): void {
  if (kind === undefined || typeof kind === 'string') return;
  const accepts = (): boolean => false;
  checkArguments('allowsRetry', {
    kind: [kind, { accepts, message: 'must be text', cure: "Use 'default'." }],
  });
}
