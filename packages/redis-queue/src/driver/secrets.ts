import { hideSecrets } from '@retry/core/broker/kit';

/**
 * Copies an error without secrets and without any property that a client or the runtime added: some carry the URL (`input`), or
 * the command that was sent (`command.args`), which may be the one with the password.
 */
export function withoutSecrets(error: unknown, secrets: readonly string[]): Error {
  if (!(error instanceof Error)) return new Error(hideSecrets(String(error), secrets));
  const { cause } = error;
  const options = cause instanceof Error ? { cause: withoutSecrets(cause, secrets) } : {};
  const copy = new Error(hideSecrets(error.message, secrets), options);
  copy.name = error.name;
  copy.stack = hideSecrets(error.stack ?? '', secrets);
  if ('code' in error && typeof error.code === 'string') Object.assign(copy, { code: error.code });
  if (error instanceof AggregateError) {
    Object.assign(copy, { errors: error.errors.map((one) => withoutSecrets(one, secrets)) });
  }
  return copy;
}
