import {
  AN_INSTANT,
  type ArgumentRule,
  areNumbers,
  checkArguments,
  oneOf,
} from '../fields/check-arguments.ts';
import { read } from '../read.ts';
import type { Budget, BudgetEvent } from './budget.ts';

const TYPES: readonly Budget['type'][] = ['token-bucket', 'ratio', 'throttle'];

const EVENTS: readonly BudgetEvent['type'][] = ['request', 'retry', 'success', 'failure'];

/** What a function of budgets was given; `state`, `event` and `kind` only if it takes them. */
interface Given {
  readonly budget: unknown;
  readonly nowAt: unknown;
  readonly state?: unknown;
  readonly event?: unknown;
  readonly kind?: unknown;
}

/**
 * Checks the arguments of a step of a budget. Every attempt passes here: the rules are read only if something is wrong.
 *
 * @throws {InvalidOptionsError} listing every wrong argument
 */
export function checkStep(subject: string, given: Given): void {
  const { budget, nowAt, state, event, kind } = given;
  const isState =
    !('state' in given) ||
    (areNumbers(read(state, 'tokens')) && typeof read(state, 'steppedAt') === 'number');
  const isEvent = !('event' in given) || isStep(event);
  if (isBudget(budget) && isState && isEvent && isTextOrNone(kind) && typeof nowAt === 'number') return;
  checkArguments(subject, {
    budget: [budget, A_BUDGET],
    ...('state' in given && {
      'state.tokens': [read(state, 'tokens'), A_LIST_OF_TOKENS],
      'state.steppedAt': [read(state, 'steppedAt'), { ...AN_INSTANT, cure: OPEN }],
    }),
    ...('event' in given && {
      'event.type': [read(event, 'type'), oneOf(EVENTS)],
      'event.kind': [read(event, 'kind'), A_KIND],
      'event.paid': [read(event, 'paid'), A_PRICE],
    }),
    kind: [kind, A_KIND],
    nowAt: [nowAt, AN_INSTANT],
  });
}

/** Whether it has the numbers of its type, as `defineBudget` returns them. */
function isBudget(value: unknown): boolean {
  const type = read(value, 'type') as Budget['type']; // any value may be looked for
  if (!TYPES.includes(type)) return false;
  if (type === 'token-bucket' && typeof read(read(value, 'costs'), 'default') !== 'number') return false;
  return NUMBERS[type].every((key) => typeof read(value, key) === 'number');
}

const NUMBERS: Readonly<Record<Budget['type'], readonly string[]>> = {
  'token-bucket': ['capacity', 'refund', 'refillPerSecond'],
  ratio: ['ratio', 'minPerSecond', 'windowMs'],
  throttle: ['maxTokens', 'tokenRatio'],
};

function isStep(event: unknown): boolean {
  const isKnown = EVENTS.includes(read(event, 'type') as BudgetEvent['type']); // as above
  return isKnown && isTextOrNone(read(event, 'kind')) && isPriceOrNone(read(event, 'paid'));
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isPriceOrNone(value: unknown): boolean {
  return value === undefined || (Number.isFinite(value) && Number(value) >= 0);
}

const A_BUDGET: ArgumentRule = {
  accepts: isBudget,
  message: 'must be a defined budget',
  cure: 'Use defineBudget({ … }).',
};

const OPEN = 'Use openBudget(budget, nowAt).';

const A_LIST_OF_TOKENS: ArgumentRule = {
  accepts: areNumbers,
  message: 'must be a list of tokens',
  cure: OPEN,
};

const A_KIND: ArgumentRule = { accepts: isTextOrNone, message: 'must be text', cure: "Use 'default'." };

const A_PRICE: ArgumentRule = {
  accepts: isPriceOrNone,
  message: 'must be a finite number ≥ 0',
  cure: 'Use the paid of the latest granted retry of its call.',
};
