import type { CmdxDeclaration, CmdxOptions } from '@retry/core/dialects';
import type { CmdxGate, CmdxGateTest, CmdxStrategyCall } from '@retry/core/dialects/parity';
import { isBuiltIn } from './cmdx-built-in.ts';

/** The additions of a described strategy or gate to a declaration and its task. */
export type Described = Pick<CmdxOptions, 'retriers' | 'task'> & { readonly declaration: CmdxDeclaration };

/** The forms of a function in CMDx, by their words in the vectors. */
const FORMS: readonly (readonly [word: RegExp, form: 'block' | 'method' | 'object' | 'retrier'])[] = [
  [/^block/, 'block'],
  [/^(symbol|method)/, 'method'],
  [/^(object|callable)/, 'object'],
  [/^(regist|retrier)/, 'retrier'],
];

/** Reads `fn: delay*(attempt+1)`, `block: delay + attempt**1.5`, `fn -> nil`, `object without call` … */
export function readStrategyText(text: string): Described {
  if (isBuiltIn(text)) return { declaration: { jitter: text } };
  if (/^unregistered/.test(text)) return { declaration: { jitter: 'nobody_registered_this' } };
  if (/without call/.test(text)) return { declaration: { jitter: {} } };
  const call = readCall(text);
  switch (FORMS.find(([word]) => word.test(text))?.[1]) {
    case 'block':
      return { declaration: { block: call } };
    case 'method':
      return { declaration: { jitter: 'own_delay' }, task: { own_delay: call } };
    case 'object':
      return { declaration: { jitter: { call } } };
    case 'retrier':
      return { declaration: { jitter: 'own_delay' }, retriers: { own_delay: call } };
    default:
      return { declaration: { jitter: call } };
  }
}

function readCall(text: string): CmdxStrategyCall {
  // Ruby is strict about how many arguments a lambda takes; JavaScript is not.
  if (/two-argument/.test(text)) return (attempt, delay) => delay * (attempt + 1);
  const constant = /-> ?(.+)$/.exec(text)?.[1];
  if (constant !== undefined) return () => readConstant(constant);
  const expression = /: ?([^:]+)$/.exec(text)?.[1];
  if (expression === undefined) throw new Error(`Cannot read the strategy "${text}".`);
  return readExpression(expression);
}

function readConstant(text: string): unknown {
  if (text === 'nil') return null;
  return Number.isNaN(Number(text)) && !/NaN/.test(text) ? text : Number(text);
}

/** Ruby's arithmetic equals JavaScript's if it contains only these words and signs. */
function readExpression(text: string): CmdxStrategyCall {
  const words = text.replaceAll(/\bprev(ious)?(_delay)?\b/g, 'previous');
  if (!/^(attempt|delay|previous|[\d\s.+\-*/()])+$/.test(words)) throw new Error(`Cannot read "${text}".`);
  return new Function('attempt', 'delay', 'previous', `return ${words}`) as CmdxStrategyCall;
}

/** Reads `attempt < 2`, `error.message != permanent`, `literal false`, `recorder` … as a function. */
export function readGateText(text: string, record: (attempt: number) => void): CmdxGateTest | boolean {
  if (/^literal (true|false)$/.test(text)) return text === 'literal true';
  const [, subject, sign, value] = /(error\.message|attempt) (==|!=|<=|>=|<|>) (\S+)$/.exec(text) ?? [];
  const isTrue = /\btrue$|recorder/.test(text);
  if (subject === undefined && !isTrue && !/\b(?:false|nil)$/.test(text))
    throw new Error(`Cannot read "${text}".`);
  return (error, attempt) => {
    record(attempt);
    if (subject === undefined) return isTrue;
    return compare(subject === 'attempt' ? attempt : (error as Error).message, sign ?? '', value ?? '');
  };
}

/** The gate in the form that the text names: a function, an object with call, or a method of this name. */
export function gateForm(text: string, gate: CmdxGateTest | boolean, method: string): CmdxGate {
  if (typeof gate === 'boolean') return gate;
  const form = FORMS.find(([word]) => word.test(text))?.[1];
  if (form === 'object')
    return { call: (_task: object, error: unknown, attempt: number) => gate(error, attempt) };
  return form === 'method' ? method : gate;
}

function compare(actual: number | string, sign: string, wanted: string): boolean {
  const value = typeof actual === 'number' ? Number(wanted) : wanted;
  switch (sign) {
    case '==':
      return actual === value;
    case '!=':
      return actual !== value;
    case '<':
      return actual < value;
    case '<=':
      return actual <= value;
    case '>':
      return actual > value;
    default:
      return actual >= value;
  }
}
