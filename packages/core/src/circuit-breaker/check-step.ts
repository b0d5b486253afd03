import {
  AN_INSTANT,
  type ArgumentRule,
  areNumbers,
  checkArguments,
  oneOf,
  optional,
} from '../fields/check-arguments.ts';
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
  const type = read(event, 'type') as BreakerEvent['type']; // any value may be looked for
  const isTicket = type === 'permit' || typeof read(event, 'ticket') === 'number';
  const isEvent = EVENTS.includes(type) && isTicket;
  if (isBreaker(breaker) && isState(state) && isEvent && typeof nowAt === 'number') return;
  checkArguments('stepBreaker', {
    breaker: [breaker, A_BREAKER],
    state: [state, A_STATE],
    'event.type': [type, oneOf(EVENTS)],
    'event.ticket': [
      read(event, 'ticket'),
      { ...(isTicket ? optional(A_TICKET) : A_TICKET), cure: 'Use that of the permit.' },
    ],
    nowAt: [nowAt, AN_INSTANT],
  });
}

function isBreaker(value: unknown): boolean {
  return SETTINGS.every((key) => typeof read(value, key) === 'number');
}

const SETTINGS = ['failureRatio', 'minimumThroughput', 'samplingDurationMs', 'breakDurationMs'] as const;

function isState(value: unknown): boolean {
  const type = read(value, 'type') as BreakerState['type']; // as above
  if (!STATES.includes(type) || typeof read(value, 'ticket') !== 'number') return false;
  if (type !== 'closed') return typeof read(value, 'until') === 'number';
  const slices = [read(value, 'successes'), read(value, 'failures')];
  return typeof read(value, 'steppedAt') === 'number' && slices.every(areNumbers);
}

const A_STATE: ArgumentRule = {
  accepts: isState,
  message: 'must be the state of a circuit breaker',
  cure: 'Use closeBreaker(nowAt).',
};

const A_BREAKER: ArgumentRule = {
  accepts: isBreaker,
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
