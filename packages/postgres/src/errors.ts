/** Stable names of what this package throws itself; what the server says comes through as it was. */
export type PostgresBrokerErrorCode =
  | 'BROKER_CLOSED'
  | 'INVALID_OPTION'
  | 'NEWER_SCHEMA'
  | 'OLDER_SCHEMA'
  | 'UNKEEPABLE_TEXT'
  | 'UNSETTLED';

/** What is wrong with how the broker is used; `code` is stable, `message` is for people. */
export class PostgresBrokerError extends Error {
  override readonly name = 'PostgresBrokerError';
  readonly code: PostgresBrokerErrorCode;

  constructor(code: PostgresBrokerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
