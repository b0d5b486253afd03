export type {
  BreakerEffect,
  BreakerEvent,
  BreakerState,
  BreakerStep,
  CircuitBreakerSettings,
  ClosedBreaker,
  HalfOpenBreaker,
  OpenBreaker,
} from './circuit-breaker.ts';
export { countsAsFailure } from './counts-as-failure.ts';
export type { CircuitBreakerInput } from './define-circuit-breaker.ts';
export { CIRCUIT_BREAKER_KEYS, defineCircuitBreaker, readCircuitBreaker } from './define-circuit-breaker.ts';
export { closeBreaker, stepBreaker } from './step-breaker.ts';
