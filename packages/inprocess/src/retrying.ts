import type { Policy, PolicyInput } from '@retry/core';
import { InvalidOptionsError, RetryError } from '@retry/core';
import { isGenerator } from '@retry/core/fields';
import { OPTION_RULES, readCall } from './call/check-options.ts';
import type { RetryOptions } from './call/options.ts';
import type { Target } from './call/plan.ts';
import { createPlan } from './call/plan.ts';
import { wrap } from './retry.ts';

/** A standard decorator of methods, static and private ones too, that return a promise of `Result`. */
export type RetryingDecorator<Result> = <This, Method extends MethodOf<This, Result>>(
  method: Method,
  context: ClassMethodDecoratorContext<This, Method>,
) => Method;

// biome-ignore lint/suspicious/noExplicitAny: any parameters, as TypeScript's own context of a method has them
type MethodOf<This, Result> = (this: This, ...parameters: any) => Promise<Result>;

/**
 * Creates a decorator by which each call of a method is retried, as by `withRetry`: `@retrying({ maxAttempts: 5 })`. Policy and options
 * are read once, here; every method that it decorates shares them.
 *
 * It is a decorator of the standard (TypeScript 5.0 or newer without `experimentalDecorators`, Babel's `2023-11`, esbuild, tsx).
 *
 * @typeParam Result - what the methods' promises resolve with; inferred from the parameter of `retryIfResult`
 * @throws {InvalidOptionsError} when the policy or the options are invalid; when the class is defined, if what is decorated is no method
 * @throws {RetryError} `EXPERIMENTAL_DECORATORS` when the class is defined, if the program is compiled with decorators of the older form
 */
export function retrying<Result = unknown>(
  policy?: Policy | PolicyInput,
  options?: RetryOptions<Result>,
): RetryingDecorator<Result> {
  if (typeof policy === 'function') throw misuse('policy', policy, WITHOUT_CALL);
  const given = { fn: noMethodYet, policy, options };
  const retried = readCall('retrying', given, OPTION_RULES, 'retrying(policy, options)');
  return (method, context) => {
    checkUse(method, context);
    const wrapped: Target = wrap(createPlan({ ...retried, fn: method as Target }));
    return wrapped as typeof method; // it passes on its arguments, and the method returns a promise
  };
}

/** Stands for the methods, which are known when they are decorated. */
function noMethodYet(): void {}

const WITHOUT_CALL = {
  message: 'must be a policy',
  cure: 'Call it to decorate: @retrying() or @retrying({ … }). The function withRetry(fn, policy) wraps one.',
};

const NO_DECORATOR = {
  message: 'must be the context of a decorator',
  cure: 'Write @retrying({ … }) above a method; use withRetry(fn, policy) for a function.',
};

const NO_METHOD = {
  message: "must be 'method'",
  cure: 'Decorate the method that does the work; for a field, use withRetry(fn, policy) as its value.',
};

const A_GENERATOR = { message: 'must not be a generator', cure: 'Use retryIterable inside it.' };

/** Decorators of the older form are called with a prototype or a class, a key, and a property descriptor. */
function checkUse(method: unknown, context: unknown): void {
  if (typeof context === 'string' || typeof context === 'symbol') throw experimental(String(context));
  const kind: unknown = Reflect.get(Object(context), 'kind');
  if (typeof kind !== 'string') throw misuse('context', context, NO_DECORATOR);
  if (kind !== 'method') throw misuse('context.kind', kind, NO_METHOD);
  if (isGenerator(method)) throw misuse('method', method, A_GENERATOR);
}

interface Misuse {
  readonly message: string;
  readonly cure: string;
}

function misuse(path: string, value: unknown, { message, cure }: Misuse): InvalidOptionsError {
  return new InvalidOptionsError([{ path, value, message, cure }], 'retrying');
}

function experimental(name: string): RetryError {
  return new RetryError(
    'EXPERIMENTAL_DECORATORS',
    `@retrying of ${name} is a standard decorator, but the program is compiled with decorators of the older form. ` +
      `Remove experimentalDecorators from tsconfig.json; or write a field instead: ` +
      `${name} = withRetry(async (…) => { … }, policy);`,
  );
}
