import type { ExceptionLike } from '../read-exceptions.ts';

/** `v2.0.1` is the version of the seed document. */
export type CmdxVersion = 'v2.0.1' | 'main@fc92e183';

/** A CMDx task class, as far as it retries. */
export interface CmdxClass {
  /** Its `retry_on` lines in order; one need not be in a list. @default [] */
  readonly retry_on?: CmdxDeclaration | readonly CmdxDeclaration[];
  /** The class it inherits from. */
  readonly parent?: CmdxClass;
}

/** A class and what its declarations may name. */
export interface CmdxOptions extends CmdxClass {
  /** @default 'v2.0.1' */
  readonly version?: CmdxVersion;
  /** Registered strategies by name; one of a built-in's name takes its place. @default {} */
  readonly retriers?: Readonly<Record<string, CmdxStrategyLike>>;
  /** The object whose methods `jitter`, `if` and `unless` may name. @default {} */
  readonly task?: object;
}

/** Lists within lists are one list, as Ruby's `flatten` makes of them. */
export type NestedExceptions = readonly (ExceptionLike | NestedExceptions)[];

/** One `retry_on` line; seconds. `null` is Ruby's `nil`: the default holds. */
export interface CmdxDeclaration {
  /** Exceptions that are retried; empty is none. @default [] */
  readonly exceptions?: NestedExceptions;
  /** Retries, not counting the first run; 0 and less is off. @default 3 */
  readonly limit?: number | null;
  /** Seconds; 0 and less is no wait at all. @default 0.5 */
  readonly delay?: number | null;
  /** Longest delay in seconds, cut after the jitter. @default null: no limit */
  readonly max_delay?: number | null;
  /** A built-in strategy, the name of a retrier or of a method of the task, a function, an object with `call`. */
  readonly jitter?: CmdxStrategyLike | string | null;
  /** What Ruby takes as a block; `jitter` beats it. */
  readonly block?: CmdxStrategyLike | null;
  /** Has to agree to every retry. */
  readonly if?: CmdxGate | null;
  /** Has to disagree with every retry. */
  readonly unless?: CmdxGate | null;
}

/**
 * A delay of the user's own in seconds. `attempt` counts from 0; `previous` is the delay before, absent at first
 * and, in v2.0.1, for everything but a retrier.
 */
export type CmdxStrategyCall = (attempt: number, delay: number, previous?: number) => unknown;

/** A function, whose `this` is the task, or an object with `call`. An object without one counts as no strategy. */
export type CmdxStrategyLike = CmdxStrategyCall | { readonly call?: CmdxStrategyCall };

/** What CMDx calls with the error and the attempt, which it counts from 0. The task is its `this`. */
export type CmdxGateTest = (error: unknown, attempt: number) => unknown;

/** An object that CMDx calls: it is not the task's own, so it gets the task first. */
export interface CmdxGateObject {
  readonly call: (task: object, error: unknown, attempt: number) => unknown;
}

/** A function, an object with `call`, the name of a method of the task, or the answer itself. */
export type CmdxGate = CmdxGateTest | CmdxGateObject | string | boolean;

/** What names in a declaration may mean. */
export interface CmdxScope {
  readonly version: CmdxVersion;
  readonly retriers: Readonly<Record<string, CmdxStrategyLike>>;
  readonly task: object;
}
