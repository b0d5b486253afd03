import type { Policy, PolicyInput } from '@retry/core';
import { definePolicy, InvalidOptionsError, isPolicy, TASK_POLICY } from '@retry/core';
import { evaluate, UnknownValue } from './evaluate.ts';
import type { PolicyLocation, ReadPolicy } from './finding.ts';
import { tryPolicy } from './finding.ts';
import { type Names, readNames } from './names.ts';
import { keyName, parseModule, type SyntaxNode, unwrap, walk } from './syntax.ts';

/** A policy in a file, or the place of one that the file alone does not show. */
export type FoundPolicy = PolicyLocation & ({ readonly read: ReadPolicy } | { readonly unread: string });

/** Functions whose second argument is a policy. */
const CALLS: readonly string[] = ['retry', 'retryIterable', 'tryRetry', 'withRetry'];

/** The options of `defineTask` that are policies. */
const TASK_KEYS: readonly string[] = ['retry', 'rateLimitRetry'];

/**
 * Finds the policies of a module without running it: the arguments of `definePolicy`, `extendPolicy`, `withRetry`, `retry`,
 * `tryRetry`, `retryIterable`, and the `retry` and `rateLimitRetry` of `defineTask`, as imported from `@retry/…`.
 *
 * @throws {SyntaxError} when the text is no JavaScript or TypeScript
 */
export function findPolicies(text: string, file: string): readonly FoundPolicy[] {
  // Parsing takes long; most files of a project import nothing of ours.
  if (!text.includes('@retry/')) return [];
  const tree = parseModule(text, file);
  const names = readNames(tree);
  return [...walk(tree)]
    .filter(({ type }) => type === 'CallExpression')
    .flatMap((call) => readCall(call, names).map((found) => ({ file, ...found })));
}

type Found = FoundPolicy extends infer One ? (One extends unknown ? Omit<One, 'file'> : never) : never;

function readCall(call: SyntaxNode, names: Names): readonly Found[] {
  const name = names.calleeOf(call)?.name;
  const [first, second] = call.arguments ?? [];
  if (name === 'definePolicy' || name === 'extendPolicy')
    return [found(call, name, () => evaluate(call, names))];
  if (name !== undefined && CALLS.includes(name)) {
    // A policy that has a name is reported where it is defined.
    return second === undefined || unwrap(second).type !== 'ObjectExpression'
      ? []
      : [found(second, name, () => evaluate(second, names))];
  }
  if (name !== 'defineTask' || first === undefined) return [];
  return (unwrap(first).properties ?? [])
    .filter((property) => TASK_KEYS.includes(keyName(property) ?? ''))
    .flatMap((property): readonly Found[] => {
      const value = property.value as SyntaxNode; // of a property it is a node
      if (unwrap(value).type !== 'ObjectExpression') return [];
      return [found(value, `defineTask ${keyName(property)}`, () => asTaskPolicy(evaluate(value, names)))];
    });
}

function found(node: SyntaxNode, call: string, read: () => unknown): Found {
  const { line = 1, column = 0 } = node.loc?.start ?? {};
  const location = { line, column: column + 1, call };
  try {
    const value = read();
    return { ...location, read: tryPolicy(() => asPolicy(value)) };
  } catch (error) {
    if (error instanceof InvalidOptionsError) return { ...location, read: { problems: error.problems } };
    if (!(error instanceof UnknownValue)) throw error;
    return { ...location, unread: error.message };
  }
}

function asPolicy(value: unknown): Policy {
  return isPolicy(value) ? value : definePolicy(value as PolicyInput); // it checks what it gets
}

/** Returns the options with the defaults of tasks, whose jitter belongs to their backoff. */
function asTaskPolicy(value: unknown): unknown {
  if (isPolicy(value) || typeof value !== 'object' || value === null) return value;
  const { jitter, maxDelay, ...defaults } = TASK_POLICY;
  const own = 'backoff' in value ? defaults : TASK_POLICY;
  return { ...own, ...value };
}
