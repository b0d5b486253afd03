import { RetryError } from '@retry/core';

/** The codes of the errors of this package. */
export type CliErrorCode =
  /** The port of the board is another program's. */
  | 'CANNOT_LISTEN'
  /** Nothing says where the queue is. */
  | 'NO_CONNECTION'
  /** A package that the server needs is not installed. */
  | 'NO_PACKAGE'
  | 'NO_SUCH_GROUP'
  /** The server has nothing of this prefix. */
  | 'NO_SUCH_QUEUE'
  | 'NO_SUCH_RUN'
  /** The server answered an error: of credentials, of rights, of a limit. */
  | 'SERVER_REFUSED'
  /** The server does not answer. */
  | 'SERVER_UNREACHABLE'
  | 'UNREADABLE_FILE'
  /** A `retry.config` file cannot be read. */
  | 'WRONG_CONFIG'
  | 'WRONG_USAGE';

/** A wrong use of the program `retry`, or a server that it cannot ask; `code` is stable. */
export class CliError extends RetryError<CliErrorCode> {
  override readonly name = 'CliError';
}
