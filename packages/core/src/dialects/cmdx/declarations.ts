import type { Fields, Report } from '../../fields/fields.ts';
import { readFields } from '../../fields/fields.ts';
import type { Matcher } from '../../matching/matcher.ts';
import { readNestedExceptions } from '../read-exceptions.ts';
import { isUnset, readInteger, readSeconds } from '../read-options.ts';
import { readGate } from './gate.ts';
import type { CmdxGateTest, CmdxScope } from './options.ts';
import { type CmdxStrategy, readBlock, readStrategy } from './strategy.ts';

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
