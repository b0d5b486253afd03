import type { CmdxClass, CmdxDeclaration } from '@retry/core/dialects';
import type { ErrorConstructor } from './error-classes.ts';

/** The values of the words in the Ruby text. */
export interface RubyScope {
  readonly classOf: (name: string) => ErrorConstructor;
  /** The answer that allows the retry. */
  readonly gate: (answer: boolean) => boolean;
  readonly block: (attempt: number, delay: number) => number;
}

/**
 * Reads the classes of an inheritance case, `{ parent: 'retry_on E1, limit: 2', child: 'retry_on E2' }`, and
 * returns the class under test: the last, or the one that `inspect` names.
 */
export function readClasses(config: Readonly<Record<string, unknown>>, scope: RubyScope): CmdxClass {
  const { inspect, ...written } = config;
  const order = ['grandparent', 'parent', 'class', 'child'];
  const names = Object.keys(written);
  const strange = names.find((name) => !order.includes(name));
  if (strange !== undefined) throw new Error(`Cannot read the class "${strange}".`);
  const sorted = order.filter((name) => names.includes(name));
  const last = typeof inspect === 'string' ? sorted.indexOf(inspect) : sorted.length - 1;
  const chain = sorted.slice(0, last + 1).map((name) => readLines(String(written[name]), scope));
  return chain.reduce<CmdxClass>(
    (parent, retry_on, index) => (index === 0 ? { retry_on } : { retry_on, parent }),
    {},
  );
}

function readLines(text: string, scope: RubyScope): readonly CmdxDeclaration[] {
  return text
    .split(';')
    .filter((line) => line.includes('retry_on'))
    .map((line) => readLine(line, scope));
}

function readLine(line: string, scope: RubyScope): CmdxDeclaration {
  const [, inside = '', block] = /retry_on[ (]*([^{)]*)\)?\s*(\{.*\})?/.exec(line) ?? [];
  // Ruby flattens the lists of classes that a declaration is given.
  const parts = inside
    .replaceAll(/[[\]]/g, '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const names = parts.filter((part) => /^[A-Z]\w*(?:::[A-Z]\w*)*$/.test(part));
  const options = parts.filter((part) => !names.includes(part)).map((part) => readOption(part, scope));
  return {
    ...(names.length > 0 && { exceptions: names.map(scope.classOf) }),
    ...Object.fromEntries(options),
    ...(block !== undefined && { block: scope.block }),
  };
}

function readOption(part: string, { gate }: RubyScope): readonly [string, unknown] {
  const [, name = '', value = ''] = /^(\w+): ?(.+)$/.exec(part) ?? [];
  if (name === '') throw new Error(`Cannot read the option "${part}".`);
  if (value === 'nil') return [name, null];
  if (name === 'if' || name === 'unless') return [name, () => gate(name === 'if')];
  return [name, value.startsWith(':') ? value.slice(1) : Number(value)];
}
