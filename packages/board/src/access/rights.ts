import { textProblem } from '@retry/core/broker/kit';
import type { Right, Rights } from '../api.ts';
import { BoardError } from '../errors.ts';
import type { ErrorLog } from './error-log.ts';
import type { Client } from './loopback.ts';
import { isLoopback } from './loopback.ts';

/** What `access` returns: the rights that are `true`, and who the visitor is, in 1 to 512 bytes. */
export interface Granted extends Partial<Rights> {
  /** Who the visitor is. Acts are recorded with it, and so are the holds and operations that come of them. */
  readonly by?: string | undefined;
}

/** Says what the visitor behind a request may do. The address is that of the other end of the connection, where it is known. */
export type Access = (request: Request, connection: Pick<Client, 'address'>) => Granted | Promise<Granted>;

/**
 * Returns an `access` that grants these rights to visitors on this machine, and none to others: the connection comes from a loopback
 * address, by a name of this machine, and through no proxy.
 */
export function onThisMachine(granted: Granted): Access {
  return (request, { address }) => (isLoopback({ request, address }) ? granted : {});
}

/** Who makes a request. */
export interface Visitor {
  readonly rights: Rights;
  readonly by?: string;
}

/** Every right. */
export const RIGHTS: readonly Right[] = Object.keys({
  read: true,
  redrive: true,
  discard: true,
  cancel: true,
  hold: true,
  edit: true,
  unmask: true,
} satisfies Record<Right, true>) as readonly Right[]; // its own keys

/** Returns what a visitor may do. @throws {BoardError} `ACCESS_REQUIRED` */
export async function visitorOf(
  access: Access | undefined,
  client: Client,
  errors: ErrorLog,
): Promise<Visitor> {
  if (access === undefined) {
    if (isLoopback(client)) return { rights: rightsOf({ read: true }) };
    throw new BoardError('ACCESS_REQUIRED', ACCESS_REQUIRED);
  }
  try {
    const granted: unknown = await access(client.request, { address: client.address });
    if (typeof granted !== 'object' || granted === null) throw new TypeError(NO_RIGHTS);
    return visitorFrom(granted);
  } catch (error) {
    errors.report(error, 'asking access');
    return { rights: rightsOf({}) };
  }
}

function visitorFrom(granted: Granted): Visitor {
  const { by } = granted;
  if (by !== undefined && textProblem(by) !== undefined) throw new TypeError(WRONG_NAME);
  return { rights: rightsOf(granted), ...(by !== undefined && { by }) };
}

function rightsOf(granted: Granted): Rights {
  return Object.fromEntries(RIGHTS.map((right) => [right, granted[right] === true])) as unknown as Rights; // from every right
}

const ACCESS_REQUIRED =
  'without access the board answers only clients on its own machine. Give createBoard an access(request) that returns the rights of the visitor.';
const NO_RIGHTS = 'access returned no object of rights';
const WRONG_NAME = 'access returned a `by` that is not text of 1 to 512 bytes';
