import type { Attempt } from './attempt-context.ts';
import type { RetryHooks } from './options.ts';

/** Who a call is, for those who observe all of them. */
export interface ObservedCall {
  readonly id: string;
  /** The name of the function that is retried; `''` when it has none. */
  readonly name: string;
}

/** What a runtime may add to every call of this process. */
export interface Instruments {
  /** Runs the function of an attempt, and remembers the attempt for whatever it calls. */
  enter?: ((attempt: Attempt, run: () => unknown) => unknown) | undefined;
  /** The attempt that is running around the caller. */
  current?: (() => Attempt | undefined) | undefined;
  /** Told what the hooks of every call are told. */
  observe?: ((name: keyof RetryHooks, event: object, call: ObservedCall) => void) | undefined;
}

/** Empty until a Node-only subpath fills it, so that browsers, and those who do not ask for it, pay nothing. */
export const installed: Instruments = {};
