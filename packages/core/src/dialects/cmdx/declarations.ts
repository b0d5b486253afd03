import type { Fields, Report } from '../../fields/fields.ts';
import { readFields } from '../../fields/fields.ts';
import type { Matcher } from '../../matching/matcher.ts';
import { refuseLong } from '../../policy/read-rules.ts';
import { MAX_ITEMS } from '../../read.ts';
import { readNestedExceptions } from '../read-exceptions.ts';
import { isUnset, readInteger, readSeconds } from '../read-options.ts';
import { readGate } from './gate.ts';
import type { CmdxGateTest, CmdxScope } from './options.ts';
import { type CmdxStrategy, readBlock, readStrategy } from './strategy.ts';

/** The options that a declaration sets, with names resolved. */
export interface CmdxSettings {
  readonly attempts?: number;
  readonly delayMs?: number;
  readonly maxDelayMs?: number;
  readonly jitter?: CmdxStrategy | undefined;
  readonly block?: CmdxStrategy | undefined;
  readonly if?: CmdxGateTest | undefined;
  readonly unless?: CmdxGateTest | undefined;
}

/** One declaration of a class; those of its ancestors come first. */
export interface CmdxLine {
  readonly path: string;
  /** Whether it is the first declaration of its class. */
  readonly isFirst: boolean;
  readonly exceptions: readonly Matcher[];
  readonly settings: CmdxSettings;
}

/** The option names of one declaration. */
export const DECLARATION_KEYS: readonly string[] = [
  ...['exceptions', 'limit', 'delay', 'max_delay', 'jitter', 'block', 'if', 'unless'],
];

/** Reads one class's `retry_on`: a declaration or a list of them. */
export function readDeclarations(owner: Fields, scope: CmdxScope, report: Report): readonly CmdxLine[] {
  const given = owner.value('retry_on') ?? [];
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (list.length > MAX_ITEMS) {
    refuseLong(owner, 'retry_on');
    return [];
  }
  return list.flatMap((declaration, index) => {
    const path = owner.path(Array.isArray(given) ? `retry_on[${index}]` : 'retry_on');
    const fields = readFields(declaration, path, { keys: DECLARATION_KEYS, report });
    if (fields === undefined) return [];
    const exceptions = readNestedExceptions(fields, 'exceptions', report);
    return [{ path, isFirst: index === 0, exceptions, settings: readSettings(fields, scope) }];
  });
}

/** Returns only options that are set; `null` counts as set, and removes an inherited value. */
function readSettings(fields: Fields, scope: CmdxScope): CmdxSettings {
  const isSet = (key: string): boolean => fields.value(key) !== undefined;
  return {
    ...(isSet('limit') && { attempts: Math.max(1, readInteger(fields, 'limit', 3) + 1) }),
    ...(isSet('delay') && { delayMs: readDelay(fields) }),
    ...(isSet('max_delay') && { maxDelayMs: readMaxDelay(fields) }),
    ...(isSet('jitter') && { jitter: readStrategy(fields, 'jitter', scope) }),
    // A declaration without a block inherits the previous one.
    ...(!isUnset(fields.value('block')) && { block: readBlock(fields, scope) }),
    ...(isSet('if') && { if: readGate(fields, 'if', scope.task) }),
    ...(isSet('unless') && { unless: readGate(fields, 'unless', scope.task) }),
  };
}

/** Returns the options of all lines as one: of each, the last value set. */
export function unite(lines: readonly CmdxLine[]): CmdxSettings {
  return Object.assign({}, ...lines.map((line) => line.settings));
}

function readDelay(fields: Fields): number {
  return readSeconds(fields, 'delay', 0.5, { least: -Number.MAX_VALUE });
}

function readMaxDelay(fields: Fields): number {
  return isUnset(fields.value('max_delay'))
    ? Infinity
    : readSeconds(fields, 'max_delay', 0, { finite: false });
}
