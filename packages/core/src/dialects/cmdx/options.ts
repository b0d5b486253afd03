import type { ExceptionLike } from '../read-exceptions.ts';

/** `v2.0.1` is the version of the seed document. */
export type CmdxVersion = 'v2.0.1' | 'main@fc92e183';

/** The retry declarations of a CMDx task class. */
export interface CmdxClass {
  /** The `retry_on` lines of the class in order; a single one may be written without a list. @default [] */
  readonly retry_on?: CmdxDeclaration | readonly CmdxDeclaration[] | undefined;
  /** The class it inherits from. */
  readonly parent?: CmdxClass | undefined;
}

/** A class, and the strategies and methods that its declarations may name. */
export interface CmdxOptions extends CmdxClass {
  /** @default 'v2.0.1' */
  readonly version?: CmdxVersion | undefined;
  /** Registered strategies by name; they take precedence over built-in ones. @default {} */
  readonly retriers?: Readonly<Record<string, CmdxStrategyLike>> | undefined;
  /** The object whose methods `jitter`, `if` and `unless` may name. @default {} */
  readonly task?: object | undefined;
}

/** Nested lists are flattened, as by Ruby's `flatten`. */
export type NestedExceptions = readonly (ExceptionLike | NestedExceptions)[];

/** One `retry_on` line; durations are in seconds. `null` is Ruby's `nil`: the default applies. */
export interface CmdxDeclaration {
  /** Exceptions that are retried; empty: none. @default [] */
  readonly exceptions?: NestedExceptions | undefined;
  /** Retries, not counting the first run; 0 or less: none. @default 3 */
  readonly limit?: number | null | undefined;
  /** Delay in seconds; 0 or less: no delay. @default 0.5 */
  readonly delay?: number | null | undefined;
  /** Longest delay in seconds, applied after the jitter. @default null: no limit */
  readonly max_delay?: number | null | undefined;
  /** The name of a built-in strategy, a retrier or a method of the task; a function; or an object with `call`. */
  readonly jitter?: CmdxStrategyLike | string | null | undefined;
  /** Ruby's block: a strategy that is used without `jitter`. */
  readonly block?: CmdxStrategyLike | null | undefined;
  /** Must return true for a retry. */
  readonly if?: CmdxGate | null | undefined;
  /** Must return false for a retry. */
  readonly unless?: CmdxGate | null | undefined;
}

/**
 * A custom delay in seconds. `attempt` counts from 0; `previous` is the previous delay, absent for the first retry; in
 * v2.0.1 only retriers receive it.
 */
export type CmdxStrategyCall = (attempt: number, delay: number, previous?: number) => unknown;

/** A function, whose `this` is the task, or an object with `call`; an object without it counts as no strategy. */
type CmdxStrategyLike = CmdxStrategyCall | { readonly call?: CmdxStrategyCall };

/** A function that CMDx calls with the error and the attempt, counted from 0; its `this` is the task. */
export type CmdxGateTest = (error: unknown, attempt: number) => unknown;

/** An object that CMDx calls with the task, the error and the attempt, counted from 0. */
export interface CmdxGateObject {
  readonly call: (task: object, error: unknown, attempt: number) => unknown;
}

/** A function, an object with `call`, the name of a method of the task, or a constant answer. */
export type CmdxGate = CmdxGateTest | CmdxGateObject | string | boolean;

/** Resolves the names in a declaration. */
export interface CmdxScope {
  readonly version: CmdxVersion;
  readonly retriers: Readonly<Record<string, CmdxStrategyLike>>;
  readonly task: object;
}
