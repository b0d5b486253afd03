import type { Attempt } from './attempt.ts';
import type { CallEvent, ParentAttempt, RetryHooks } from './options.ts';

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
  /** Called with every event of every call, as the hook of that name is. */
  observe?: ((name: keyof RetryHooks, event: CallEvent) => void) | undefined;
}

/** Empty until a Node-only subpath fills it, so that browsers, and those who do not ask for it, pay nothing. */
export const installed: Instruments = {};
