import type { Fields, Report } from '../../fields/fields.ts';
import { readFields } from '../../fields/fields.ts';
import { definePolicy } from '../../policy/define-policy.ts';
import { extendPolicy } from '../../policy/extend-policy.ts';
import type { Policy } from '../../policy/policy.ts';
import { type Dialect, dialectOf } from '../dialect.ts';
import { belongIn, readOptions } from '../read-options.ts';
import { type CmdxLine, DECLARATION_KEYS, readDeclarations, unite } from './declarations.ts';
import { cmdxDelays } from './delays.ts';
import { gateOf } from './gate.ts';
import type { CmdxOptions, CmdxScope, CmdxVersion } from './options.ts';
import { warnCmdx } from './warnings.ts';

const CLASS_KEYS = ['retry_on', 'parent'];
const CURES = belongIn('retry_on', DECLARATION_KEYS);
/** The limit of a chain of classes: getters can make it endless. */
const MAX_ANCESTORS = 100;
const VERSIONS: readonly CmdxVersion[] = ['v2.0.1', 'main@fc92e183'];

/**
 * Converts CMDx's `retry_on` declarations, those of parent classes first, to one policy: exceptions are united; of each
 * option, the last value set applies to every exception.
 *
 * @throws {InvalidOptionsError} listing every problem under CMDx's own names
 * @see docs/dialects.md#cmdx
 */
export function fromCmdx(options: CmdxOptions = {}): Dialect {
  const { version, lines } = readOptions(
    options,
    { keys: [...CLASS_KEYS, 'version', 'retriers', 'task'], cures: CURES },
    (fields, report) => {
      const scope = readScope(fields);
      return { version: scope.version, lines: readClass(fields, { ...scope, heirs: [options] }, report) };
    },
  );
  const used = lines.filter((line) => applies(line, version));
  return dialectOf(policyOf(used, version), {}, warnCmdx(lines, used));
}

function readScope(fields: Fields): CmdxScope {
  const task = fields.value('task') ?? {};
  const retriers = fields.value('retriers') ?? {};
  if (!isObject(task)) fields.fail('task', 'must be an object', 'Use an object with the named methods.');
  if (!isObject(retriers))
    fields.fail('retriers', 'must be an object', 'Use an object of strategies by name.');
  return {
    version: fields.choice('version', 'v2.0.1', VERSIONS),
    retriers: (isObject(retriers) ? retriers : {}) as CmdxScope['retriers'], // each is checked where it is used
    task: isObject(task) ? task : {},
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** What is known where a class is read. */
interface Inheritance extends CmdxScope {
  /** The class, and those that inherit from it. */
  readonly heirs: readonly unknown[];
}

function readClass(fields: Fields, scope: Inheritance, report: Report): readonly CmdxLine[] {
  return [...readParent(fields, scope, report), ...readDeclarations(fields, scope, report)];
}

function readParent(fields: Fields, scope: Inheritance, report: Report): readonly CmdxLine[] {
  const given = fields.value('parent');
  if (given === undefined) return [];
  const { heirs } = scope;
  if (heirs.includes(given) || heirs.length > MAX_ANCESTORS) {
    const message = `must be another class than its heirs, one of at most ${MAX_ANCESTORS} ancestors`;
    fields.fail('parent', message, 'Leave it out where a class has none.');
    return [];
  }
  const parent = readFields(given, fields.path('parent'), { keys: CLASS_KEYS, cures: CURES, report });
  return parent === undefined ? [] : readClass(parent, { ...scope, heirs: [...heirs, given] }, report);
}

/** Returns whether CMDx reads the line: one without exceptions only in version main, as the first of its class. */
function applies({ exceptions, isFirst }: CmdxLine, version: CmdxVersion): boolean {
  return exceptions.length > 0 || (isFirst && version === 'main@fc92e183');
}

function policyOf(lines: readonly CmdxLine[], version: CmdxVersion): Policy {
  const exceptions = lines.flatMap((line) => line.exceptions);
  const settings = unite(lines);
  const { attempts = 4, delayMs = 500, maxDelayMs = Infinity, jitter, block } = settings;
  const gate = gateOf(settings.if, settings.unless);
  return extendPolicy(definePolicy({ retryOn: 'nothing' }), {
    ...(exceptions.length > 0 && { retryOn: exceptions }),
    maxAttempts: attempts,
    retryTimeouts: false,
    ...cmdxDelays({ delayMs, maxDelayMs, strategy: jitter ?? block, version }),
    ...(gate !== undefined && { retryIf: gate }),
  });
}
