import { textProblem } from '@retry/core/broker/kit';
import type { Right, Rights } from '../api.ts';
import type { ErrorLog } from './error-log.ts';

/** What `access` returns: the rights that are `true`, and who the visitor is, in 1 to 512 bytes. */
export interface Granted extends Partial<Rights> {
  /** Who the visitor is. Acts are recorded with it, and so are the holds and operations that come of them. */
  readonly by?: string | undefined;
}

/** Says what the visitor behind a request may do. */
export type Access = (request: Request) => Granted | Promise<Granted>;

/** Who makes a request. */
export interface Visitor {
  readonly rights: Rights;
  readonly by?: string;
}

/** Every right. */
const RIGHTS: readonly Right[] = Object.keys({
  read: true,
  redrive: true,
  discard: true,
  cancel: true,
  hold: true,
  edit: true,
  unmask: true,
} satisfies Record<Right, true>) as readonly Right[]; // its own keys

/** Returns what a visitor may do. If `access` throws, that is nothing. */
export async function visitorOf(access: Access, request: Request, errors: ErrorLog): Promise<Visitor> {
  try {
    const granted: unknown = await access(request);
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

const NO_RIGHTS = 'access returned no object of rights';
const WRONG_NAME = 'access returned a `by` that is not text of 1 to 512 bytes';
