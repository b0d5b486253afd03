import type { Fields, Report } from '../../fields/fields.ts';
import { readFields } from '../../fields/fields.ts';
import type { Matcher } from '../../matching/matcher.ts';
import { refuseLong } from '../../policy/read-rules.ts';
import { MAX_ITEMS } from '../../read.ts';
import {
  described,
  endlessSeconds,
  type Option,
  type OptionTable,
  signedRetries,
  type ValuesOf,
  value,
} from '../option.ts';
import { readNestedExceptions } from '../read-exceptions.ts';
import { isUnset } from '../read-options.ts';
import { asSeconds } from '../written-values.ts';
import { readGate } from './gate.ts';
import type { CmdxGateTest, CmdxScope } from './options.ts';
import { type CmdxStrategy, readBlock, readStrategy } from './strategy.ts';

/** The options that a declaration sets, with names resolved: executions and milliseconds. */
export interface CmdxSettings {
  readonly limit?: number;
  readonly delay?: number;
  readonly max_delay?: number;
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

/** Returns the options of one declaration; each is read only where it is set, and `null` is its default. */
export function declarationOptions(scope: CmdxScope): DeclarationTable {
  return {
    exceptions: described('classes', '[]: none', 'exceptions that are retried', readNestedExceptions),
    limit: signedRetries(3, 'executions after the first'),
    delay: value(
      { unit: 's', parse: asSignedSeconds, must: 'a finite number of seconds', shown: '0.5' },
      500,
      'the delay; 0 or less: none',
    ),
    max_delay: endlessSeconds(Infinity, 'the longest delay, after the jitter'),
    jitter: described('name', '–', 'a strategy, a retrier or a method of the task', (fields, key) =>
      readStrategy(fields, key, scope),
    ),
    block: described('function', '–', 'a strategy that is used without `jitter`', (fields) =>
      readBlock(fields, scope),
    ),
    if: described('function', '–', 'must return true for a retry', (fields, key) =>
      readGate(fields, key, scope.task),
    ),
    unless: described('function', '–', 'must return false for a retry', (fields, key) =>
      readGate(fields, key, scope.task),
    ),
  };
}

interface DeclarationTable extends OptionTable {
  readonly exceptions: Option<readonly Matcher[]>;
  readonly limit: Option<number>;
  readonly delay: Option<number>;
  readonly max_delay: Option<number>;
  readonly jitter: Option<CmdxStrategy | undefined>;
  readonly block: Option<CmdxStrategy | undefined>;
  readonly if: Option<CmdxGateTest | undefined>;
  readonly unless: Option<CmdxGateTest | undefined>;
}

/** Reads one class's `retry_on`: a declaration or a list of them. */
export function readDeclarations(owner: Fields, scope: CmdxScope, report: Report): readonly CmdxLine[] {
  const given = owner.value('retry_on') ?? [];
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (list.length > MAX_ITEMS) {
    refuseLong(owner, 'retry_on');
    return [];
  }
  const table = declarationOptions(scope);
  return list.flatMap((declaration, index) => {
    const path = owner.path(Array.isArray(given) ? `retry_on[${index}]` : 'retry_on');
    const fields = readFields(declaration, path, { keys: Object.keys(table), report });
    if (fields === undefined) return [];
    const { exceptions = [], ...settings } = readSet(table, fields, report);
    return [{ path, isFirst: index === 0, exceptions, settings }];
  });
}

/** Returns only options that are set; `null` counts as set, and removes an inherited value. */
function readSet(
  table: DeclarationTable,
  fields: Fields,
  report: Report,
): Partial<ValuesOf<DeclarationTable>> {
  // A declaration without a block inherits the previous one.
  const isSet = (key: string): boolean =>
    key === 'block' ? !isUnset(fields.value(key)) : fields.value(key) !== undefined;
  const set = Object.entries(table).filter(([key]) => isSet(key));
  return Object.fromEntries(set.map(([key, { read }]) => [key, read(fields, key, report)]));
}

/** Returns the options of all lines as one: of each, the last value set. */
export function unite(lines: readonly CmdxLine[]): CmdxSettings {
  return Object.assign({}, ...lines.map((line) => line.settings));
}

function asSignedSeconds(written: unknown): number | undefined {
  return typeof written === 'number' && written < 0 && written > -Infinity ? 0 : asSeconds(written);
}
