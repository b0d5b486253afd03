import type { Attempt } from './attempt.ts';
import type { ParentAttempt, RetryHooks } from './options.ts';

/** Who a call is, for those who observe all of them. */
export interface ObservedCall {
  readonly id: string;
  /** The name of the function that is retried; `''` when it has none. */
  readonly name: string;
}

/** How calls find the attempt that they are made in. */
export interface Nesting {
  /** Makes an attempt one that calls within can ask. */
  readonly tell: (attempt: Attempt) => Attempt;
  /** Runs the function of an attempt, and remembers the attempt for whatever it calls. */
  readonly enter: (attempt: Attempt, run: () => unknown) => unknown;
  /** The attempt that is running around the caller. */
  readonly current: () => ParentAttempt | undefined;
}

/** What a runtime may add to every call of this process. */
export interface Instruments {
  nesting?: Nesting | undefined;
  /** Told what the hooks of every call are told. */
  observe?: ((name: keyof RetryHooks, event: object, call: ObservedCall) => void) | undefined;
}

/** Empty until a Node-only subpath fills it, so that browsers, and those who do not ask for it, pay nothing. */
export const installed: Instruments = {};
