import { type Fields, type Report, readFields } from '../../fields/fields.ts';
import { withoutDuplicates } from '../../policy/extend-policy.ts';
import type { PolicyInput } from '../../policy/policy.ts';
import { type CmdxLine, declarationOptions, readDeclarations, unite } from '../cmdx/declarations.ts';
import { cmdxDelays } from '../cmdx/delays.ts';
import { gateOf } from '../cmdx/gate.ts';
import type { CmdxOptions, CmdxScope, CmdxVersion } from '../cmdx/options.ts';
import { warnCmdx } from '../cmdx/warnings.ts';
import type { Dialect } from '../dialect.ts';
import { choice, described, type Option } from '../option.ts';
import { belongIn } from '../read-options.ts';
import { defineSystem, FOLLOWS_SERVER, type System } from '../system.ts';

const VERSIONS: readonly CmdxVersion[] = ['v2.0.1', 'main@fc92e183'];
/** The limit of a chain of classes: getters can make it endless. */
const MAX_ANCESTORS = 100;
const DECLARATION = declarationOptions({ version: 'v2.0.1', retriers: {}, task: {} });
const CLASS = { keys: ['retry_on', 'parent'], cures: belongIn('retry_on', Object.keys(DECLARATION)) };

/** CMDx: the declarations of a class, and what they may name. */
export const cmdx: System = /* @__PURE__ */ defineSystem({
  name: 'cmdx',
  title: 'CMDx',
  version: '2.0',
  fidelity: 'exact',
  options: {
    retry_on: {
      ...described('object', '–', 'a declaration, or a list of them', (fields, _key, report) =>
        readClass(fields, { ...scopeOf(fields), heirs: [] }, report),
      ),
      inner: DECLARATION,
    },
    parent: described('object', '–', 'the class it inherits from', () => undefined),
    version: choice(VERSIONS, 'v2.0.1', 'of CMDx'),
    retriers: anObject('Use an object of strategies by name.', 'strategies by name'),
    task: anObject('Use an object with the named methods.', 'whose methods a declaration may name'),
  },
  policy: ({ retry_on, version }) => policyOf(usedOf(retry_on, version), version),
  warnings: ({ retry_on, version }) => warnCmdx(retry_on, usedOf(retry_on, version)),
});

/**
 * Converts CMDx's `retry_on` declarations, those of parent classes first, to one policy: exceptions are united; of each
 * option, the last value set applies to every exception.
 *
 * @throws {InvalidOptionsError} listing every problem under CMDx's own names
 * @see docs/dialects.md#cmdx
 */
export function fromCmdx(options: CmdxOptions = {}): Dialect {
  return cmdx.from(options);
}

function scopeOf(fields: Fields): CmdxScope {
  const [retriers, task] = [fields.value('retriers'), fields.value('task')];
  return {
    version: VERSIONS.find((known) => known === fields.value('version')) ?? 'v2.0.1',
    retriers: (isObject(retriers) ? retriers : {}) as CmdxScope['retriers'], // each is checked where it is used
    task: isObject(task) ? task : {},
  };
}

function anObject(cure: string, meaning: string): Option<unknown> {
  return described('object', '{}', meaning, (fields, key) => {
    if (!isObject(fields.value(key) ?? {})) fields.fail(key, 'must be an object', cure);
  });
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
  const parent = readFields(given, fields.path('parent'), { ...CLASS, report });
  return parent === undefined ? [] : readClass(parent, { ...scope, heirs: [...heirs, given] }, report);
}

/** Returns the lines that CMDx reads: one without exceptions only in version main, as the first of its class. */
function usedOf(lines: readonly CmdxLine[], version: CmdxVersion): readonly CmdxLine[] {
  return lines.filter(
    ({ exceptions, isFirst }) => exceptions.length > 0 || (isFirst && version === 'main@fc92e183'),
  );
}

function policyOf(lines: readonly CmdxLine[], version: CmdxVersion): PolicyInput {
  const exceptions = withoutDuplicates(lines.flatMap((line) => line.exceptions));
  const { limit = 4, delay = 500, max_delay = Infinity, jitter, block, ...gates } = unite(lines);
  const gate = gateOf(gates.if, gates.unless);
  return {
    ...FOLLOWS_SERVER,
    retryOn: exceptions.length > 0 ? exceptions : 'nothing',
    maxAttempts: limit,
    retryTimeouts: false,
    ...cmdxDelays({ delayMs: delay, maxDelayMs: max_delay, strategy: jitter ?? block, version }),
    ...(gate !== undefined && { retryIf: gate }),
  };
}
