import { randomBytes } from 'node:crypto';

/** The ids of this process begin with it; 12 characters. */
const PROCESS = randomBytes(9).toString('base64url');

let count = 0;

/** Returns an id that no other claim has. A third as long as a UUID: brokers keep it with each claim, Postgres in an index, too. */
export function newRequestId(): string {
  count += 1;
  return `${PROCESS}${count.toString(36)}`;
}
