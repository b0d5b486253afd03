import { AN_INSTANT, type ArgumentRule, checkArguments, oneOf, optional } from '../fields/check-arguments.ts';
import { read } from '../read.ts';
import type { BreakerEvent, BreakerState } from './circuit-breaker.ts';

const STATES: readonly BreakerState['type'][] = ['closed', 'open', 'half-open'];

const EVENTS: readonly BreakerEvent['type'][] = ['permit', 'success', 'failure', 'abandon'];

/** What a step was given. */
interface Given {
  readonly breaker: unknown;
  readonly state: unknown;
  readonly event: unknown;
  readonly nowAt: unknown;
}

/**
 * Checks the arguments of a step of a circuit breaker. Every attempt passes here: the rules are read only if something is wrong.
 *
 * @throws {InvalidOptionsError} listing every wrong argument
 */
export function checkStep({ breaker, state, event, nowAt }: Given): void {
  const isBreaker = typeof read(breaker, 'breakDurationMs') === 'number';
  const isState = STATES.includes(read(state, 'type') as BreakerState['type']); // any value may be looked for
  const isEvent = EVENTS.includes(read(event, 'type') as BreakerEvent['type']); // as above
  const isTicket = read(event, 'type') === 'permit' || typeof read(event, 'ticket') === 'number';
  if (isBreaker && isState && isEvent && isTicket && typeof nowAt === 'number') return;
  checkArguments('stepBreaker', {
    breaker: [breaker, A_BREAKER],
    'state.type': [read(state, 'type'), { ...oneOf(STATES), cure: 'Use closeBreaker(nowAt).' }],
    'event.type': [read(event, 'type'), oneOf(EVENTS)],
    'event.ticket': [
      read(event, 'ticket'),
      { ...(isTicket ? optional(A_TICKET) : A_TICKET), cure: 'Use that of the permit.' },
    ],
    nowAt: [nowAt, AN_INSTANT],
  });
}

const A_BREAKER: ArgumentRule = {
  accepts: (value) => typeof read(value, 'breakDurationMs') === 'number',
  message: 'must be a defined circuit breaker',
  cure: 'Use defineCircuitBreaker({ … }).',
};

/** @throws {InvalidOptionsError} when the instant or the ticket of a new breaker is wrong */
export function checkOpening(nowAt: unknown, ticket: unknown): void {
  if (typeof nowAt === 'number' && typeof ticket === 'number') return;
  checkArguments('closeBreaker', { nowAt: [nowAt, AN_INSTANT], ticket: [ticket, A_TICKET] });
}

const A_TICKET: ArgumentRule = {
  accepts: (value) => typeof value === 'number',
  message: 'must be a number',
  cure: 'Leave it out for 0.',
};
