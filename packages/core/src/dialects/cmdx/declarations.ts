import type { Fields, Report } from '../../fields/fields.ts';
import { readFields } from '../../fields/fields.ts';
import type { Matcher } from '../../matching/matcher.ts';
import { type ExceptionLike, readNestedExceptions } from '../read-exceptions.ts';
import { isUnset, readInteger, readSeconds } from '../read-options.ts';
import { type CmdxGate, type CmdxGateTest, readGate } from './gate.ts';
import { type CmdxStrategy, type CmdxStrategyLike, readBlock, readStrategy } from './strategy.ts';

/** Lists within lists are one list, as Ruby's `flatten` makes of them. */
export type NestedExceptions = readonly (ExceptionLike | NestedExceptions)[];

/** `v2.0.1` is the version of the seed document. */
export type CmdxVersion = 'v2.0.1' | 'main@fc92e183';

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

/** What names in a declaration may mean. */
export interface CmdxScope {
  readonly version: CmdxVersion;
  readonly retriers: Readonly<Record<string, CmdxStrategyLike>>;
  readonly task: object;
}

/** The options that a declaration writes, read and resolved. */
export interface CmdxSettings {
  readonly attempts?: number;
  readonly delayMs?: number;
  readonly maxDelayMs?: number;
  readonly jitter?: CmdxStrategy | undefined;
  readonly block?: CmdxStrategy | undefined;
  readonly if?: CmdxGateTest | undefined;
  readonly unless?: CmdxGateTest | undefined;
}

/** One declaration of a class, in order from the first class of its ancestry to itself. */
export interface CmdxLine {
  readonly path: string;
  /** Whether its class has declared something before. */
  readonly isFirst: boolean;
  readonly exceptions: readonly Matcher[];
  readonly settings: CmdxSettings;
}

const KEYS = ['exceptions', 'limit', 'delay', 'max_delay', 'jitter', 'block', 'if', 'unless'];

/** Reads one class's `retry_on`: a declaration or a list of them. */
export function readDeclarations(owner: Fields, scope: CmdxScope, report: Report): readonly CmdxLine[] {
  const given = owner.value('retry_on') ?? [];
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  return list.flatMap((declaration, index) => {
    const path = owner.path(Array.isArray(given) ? `retry_on[${index}]` : 'retry_on');
    const fields = readFields(declaration, path, { keys: KEYS, report });
    if (fields === undefined) return [];
    const exceptions = readNestedExceptions(fields, 'exceptions', report);
    return [{ path, isFirst: index === 0, exceptions, settings: readSettings(fields, scope) }];
  });
}

/** Only what is written: `null` is written too, and takes an inherited value away. */
function readSettings(fields: Fields, scope: CmdxScope): CmdxSettings {
  const isWritten = (key: string): boolean => fields.value(key) !== undefined;
  return {
    ...(isWritten('limit') && { attempts: Math.max(1, readInteger(fields, 'limit', 3) + 1) }),
    ...(isWritten('delay') && { delayMs: readDelay(fields) }),
    ...(isWritten('max_delay') && { maxDelayMs: readMaxDelay(fields) }),
    ...(isWritten('jitter') && { jitter: readStrategy(fields, 'jitter', scope) }),
    // A declaration without a block keeps the one before it.
    ...(!isUnset(fields.value('block')) && { block: readBlock(fields, scope) }),
    ...(isWritten('if') && { if: readGate(fields, 'if', scope.task) }),
    ...(isWritten('unless') && { unless: readGate(fields, 'unless', scope.task) }),
  };
}

function readDelay(fields: Fields): number {
  return readSeconds(fields, 'delay', 0.5, { least: -Number.MAX_VALUE });
}

function readMaxDelay(fields: Fields): number {
  return isUnset(fields.value('max_delay'))
    ? Infinity
    : readSeconds(fields, 'max_delay', 0, { finite: false });
}
