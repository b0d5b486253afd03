import type { Policy, PolicyInput } from '@retry/core';
import {
  definePolicy,
  extendPolicy,
  httpTransient,
  postgresTransient,
  redisTransient,
  TASK_POLICY,
  transientNetwork,
} from '@retry/core';
import type { Names } from './names.ts';
import { classLike, functionLike } from './stand-ins.ts';
import { keyName, type SyntaxNode, unwrap } from './syntax.ts';

/** Thrown inside this folder for a value that the file alone does not show. */
export class UnknownValue extends Error {
  override readonly name = 'UnknownValue';
}

/** Values of `@retry/core` that policies are made of. */
const CORE_VALUES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['httpTransient', httpTransient],
  ['postgresTransient', postgresTransient],
  ['redisTransient', redisTransient],
  ['transientNetwork', transientNetwork],
  ['TASK_POLICY', TASK_POLICY],
]);

const GLOBALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['undefined', undefined],
  ['Infinity', Infinity],
  ['NaN', Number.NaN],
  ...[Error, TypeError, RangeError, SyntaxError, AggregateError].map((it) => [it.name, it] as const),
]);

/** Constants may refer to each other. */
const MAX_DEPTH = 32;

/**
 * Returns the value of an expression without running the program: literals, arithmetic, objects and lists with spreads,
 * constants of the file, matchers and policies of `@retry/core`. Functions and classes become stand-ins, which do nothing.
 *
 * @throws {UnknownValue} when the file alone does not show the value
 */
export function evaluate(node: SyntaxNode | null | undefined, names: Names, depth = 0): unknown {
  if (node === null || node === undefined || depth > MAX_DEPTH) throw new UnknownValue('no value');
  const inner = unwrap(node);
  const read = READERS[inner.type];
  if (read === undefined) throw new UnknownValue(inner.type);
  return read(inner, names, depth + 1);
}

type Reader = (node: SyntaxNode, names: Names, depth: number) => unknown;

const READERS: Readonly<Record<string, Reader>> = {
  Literal: ({ value, regex }) => (regex === undefined ? value : new RegExp(regex.pattern, regex.flags)),
  TemplateLiteral: ({ quasis = [], expressions = [] }, names, depth) =>
    quasis
      .map(({ value }, index) => {
        const text = (value as { cooked: string }).cooked; // of a part of a template
        return text + (index < expressions.length ? String(evaluate(expressions[index], names, depth)) : '');
      })
      .join(''),
  UnaryExpression: ({ operator, argument }, names, depth) => {
    const value = evaluate(argument, names, depth);
    if (operator === '-') return -Number(value);
    if (operator === '+') return Number(value);
    if (operator === '!') return !value;
    throw new UnknownValue(String(operator));
  },
  BinaryExpression: ({ operator, left, right }, names, depth) =>
    calculate(String(operator), evaluate(left, names, depth), evaluate(right, names, depth)),
  ArrayExpression: ({ elements = [] }, names, depth) =>
    elements.flatMap((element): unknown[] => {
      if (element?.type !== 'SpreadElement') return [evaluate(element, names, depth)];
      const spread = evaluate(element.argument, names, depth);
      if (!Array.isArray(spread)) throw new UnknownValue('spread');
      return spread;
    }),
  ObjectExpression: ({ properties = [] }, names, depth) =>
    Object.assign({}, ...properties.map((property) => readProperty(property, names, depth))),
  Identifier: readIdentifier,
  CallExpression: readCall,
  ArrowFunctionExpression: functionLike,
  FunctionExpression: functionLike,
  FunctionDeclaration: functionLike,
  ClassDeclaration: classLike,
  ClassExpression: classLike,
};

function calculate(operator: string, left: unknown, right: unknown): unknown {
  if (operator === '+' && typeof left === 'string') return left + String(right);
  const [one, other] = [Number(left), Number(right)];
  if (operator === '+') return one + other;
  if (operator === '-') return one - other;
  if (operator === '*') return one * other;
  if (operator === '/') return one / other;
  if (operator === '**') return one ** other;
  throw new UnknownValue(operator);
}

/** The keys of matchers and gates: what a name stands for there is a class or a function, wherever it comes from. */
const RULE_KEYS: readonly string[] = ['retryOn', 'stopOn', 'retryIf', 'strategy', 'cause'];

function readProperty(property: SyntaxNode, names: Names, depth: number): object {
  if (property.type === 'SpreadElement') {
    const spread = evaluate(property.argument, names, depth);
    if (typeof spread === 'object' && spread !== null) return spread;
    throw new UnknownValue('spread');
  }
  const key = property.computed === true ? String(evaluate(property.key, names, depth)) : keyName(property);
  if (key === undefined) throw new UnknownValue('key');
  const value = property.value as SyntaxNode; // of a property it is a node
  return { [key]: RULE_KEYS.includes(key) ? readRule(value, names, depth) : evaluate(value, names, depth) };
}

/** Reads a matcher, a list of them, or a gate; foreign names become stand-ins. */
function readRule(node: SyntaxNode, names: Names, depth: number): unknown {
  const inner = unwrap(node);
  if (inner.type === 'ArrayExpression') {
    return (inner.elements ?? []).flatMap((element): unknown[] => {
      if (element === null) throw new UnknownValue('no value');
      if (element.type !== 'SpreadElement') return [readRule(element, names, depth)];
      const spread = evaluate(element.argument, names, depth);
      if (!Array.isArray(spread)) throw new UnknownValue('spread');
      return spread;
    });
  }
  try {
    return evaluate(inner, names, depth);
  } catch (error) {
    const name = inner.type === 'MemberExpression' ? inner.property?.name : inner.name;
    // A list that stands elsewhere may be named so, too: its name begins with a small letter.
    if (error instanceof UnknownValue && /^[A-Z]\w*[a-z]/.test(name ?? '')) return class extends Error {};
    throw error;
  }
}

function readIdentifier({ name = '' }: SyntaxNode, names: Names, depth: number): unknown {
  const imported = names.imports.get(name);
  if (imported?.module === '@retry/core' && CORE_VALUES.has(imported.name))
    return CORE_VALUES.get(imported.name);
  const declared = names.constants.get(name);
  if (declared !== undefined) return evaluate(declared, names, depth);
  if (GLOBALS.has(name) && !names.declared.has(name)) return GLOBALS.get(name);
  throw new UnknownValue(name);
}

/** Calls of `definePolicy` and `extendPolicy`; any other would have to be run. */
function readCall(node: SyntaxNode, names: Names, depth: number): unknown {
  const [first, second] = node.arguments ?? [];
  const name = names.calleeOf(node)?.name;
  if (name === 'definePolicy') {
    return first === undefined ? definePolicy() : definePolicy(evaluate(first, names, depth) as PolicyInput);
  }
  if (name === 'extendPolicy') {
    // Both check what they get.
    return extendPolicy(
      evaluate(first, names, depth) as Policy,
      evaluate(second, names, depth) as PolicyInput,
    );
  }
  throw new UnknownValue('call');
}
