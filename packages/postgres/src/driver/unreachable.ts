import { PostgresBrokerError } from '../errors.ts';

/** What the driver says of a server that accepted a connection, or dropped what asked for one, and did not answer. */
const TOO_LATE: readonly unknown[] = ['timeout expired', 'Connection terminated due to connection timeout'];

/** Returns what is said where no connection came about; `undefined` for an error of a connection that was there, or of the server. */
export function unreachableServer(error: unknown): PostgresBrokerError | undefined {
  const reason = reasonOf(error);
  if (reason === undefined) return undefined;
  const message = `the Postgres server was not reached: ${reason}. Start it, or correct the url or the client.`;
  return new PostgresBrokerError('POSTGRES_UNREACHABLE', message, { cause: error });
}

function reasonOf(error: unknown): string | undefined {
  // Of a name with several addresses, each is tried.
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return undefined;
  if (TOO_LATE.includes(error.message)) return 'it did not answer in time';
  const call = 'syscall' in error ? error.syscall : undefined;
  return call === 'connect' || call === 'getaddrinfo' ? error.message : undefined;
}
