import type { CallEvent } from './options.ts';
import type { Plan } from './plan.ts';

/** What an event says of the call it is about. */
interface DescribedCall {
  readonly id: string;
  readonly name: string;
  readonly parameters: readonly unknown[];
  readonly elapsedMs: number;
  readonly attemptMs: number;
  readonly plan: Pick<Plan, 'about' | 'options'>;
}

/**
 * An event of a call. Where its id is drawn from the option `random` it is made when it is first read: a hook that does
 * not look at it must not change the delays.
 */
export function eventOf<Details extends object>(call: DescribedCall, details: Details): CallEvent & Details {
  const { name, parameters, elapsedMs, attemptMs } = call;
  const { about, options } = call.plan;
  const id = options.random === undefined ? call.id : '';
  const event = { id, name, arguments: parameters, elapsedMs, attemptMs, ...about, ...details };
  // Only then, as an event with an accessor costs several times one without.
  if (options.random !== undefined) Object.defineProperty(event, 'id', { get: () => call.id });
  return event;
}
