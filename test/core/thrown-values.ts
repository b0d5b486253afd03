import { AttemptTimeoutError, NonRetryableError, RetryAfterError } from '@retry/core';
import fc from 'fast-check';

/** The root of a family of errors, as client libraries have one. */
export class HttpError extends Error {
  override readonly name: string = 'HttpError';
  readonly status: number;

  constructor(status: number, options?: ErrorOptions) {
    super(`HTTP ${status}`, options);
    this.status = status;
  }
}

/** Its child, with a name of its own. */
export class ThrottledError extends HttpError {
  override readonly name = 'ThrottledError';
}

/** Its grandchild, without one. */
export class QuotaError extends ThrottledError {}

const ordinary = fc.constantFrom(
  () => new Error('boom'),
  () => new TypeError('fetch failed'),
  () => new HttpError(503),
  () => new ThrottledError(429),
  () => new QuotaError(429),
  () => Object.freeze(new Error('frozen')),
  () => Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
  () => Object.assign(new Error('database'), { code: '08006' }),
  () => Object.assign(new Error('busy'), { code: 11, statusCode: 503 }),
  () => Object.assign(new Error('axios'), { response: { status: 429 } }),
  () => Object.assign(new Error('aws'), { $metadata: { httpStatusCode: 503 } }),
  () => new NonRetryableError('no'),
  () => new RetryAfterError('30s'),
  () => new AttemptTimeoutError(1_000, 1),
  () => ({ name: 'HttpError', status: 429 }),
  () => Object.create(null),
);

const primitives = fc.constantFrom(undefined, null, '', 'boom', 0, Number.NaN, true, 42n, Symbol('thrown'));

/** Anything that a program may throw: errors of every kind, chains of causes, cycles, and values that are not errors. */
export const thrownValues: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    ordinary.map((make) => make()),
    primitives,
    tie('value').map((cause) => new Error('outer', { cause })),
    tie('value').map((cause) => new HttpError(500, { cause })),
    fc.array(tie('value'), { maxLength: 3 }).map((errors) => new AggregateError(errors, 'many')),
    tie('value').map((cause) => circle(cause)),
  ),
})).value;

/** Two errors that are each other's cause, with something beside them. */
function circle(beside: unknown): Error {
  const inner = new AggregateError([beside], 'inner');
  const outer = new Error('outer', { cause: inner });
  inner.cause = outer;
  return outer;
}

/** Factories of thrown values that throw when they are read, because fast-check itself would read them. */
export const hostileMakers: fc.Arbitrary<() => unknown> = fc.constantFrom<() => unknown>(
  guarded,
  revoked,
  () => withGetter('code'),
  () => withGetter('cause'),
  () => withGetter('name'),
  endless,
  () => Object.assign(new RetryAfterError(1), { delayMs: Number.NaN }),
  () => Object.assign(new RetryAfterError(1), { delayMs: -5 }),
);

function guarded(): object {
  const has = (): never => {
    throw new Error('has');
  };
  return new Proxy({}, { has });
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function withGetter(key: string): Error {
  const get = (): never => {
    throw new Error(`getter of ${key}`);
  };
  return Object.defineProperty(new Error('trap'), key, { get });
}

/** Each cause has another one. */
function endless(): Error {
  return Object.defineProperty(new Error('endless'), 'cause', { get: endless });
}
