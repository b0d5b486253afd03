import type { ErrorPattern } from '../matching/matcher.ts';

/** Prisma, on any database: the kinds of its driver adapters, and the codes it gives to them. */
export const PRISMA_NOT_APPLIED: readonly ErrorPattern[] = [
  { code: ['P2034', 'P2037', 'P1001', 'P1002', 'P2024'] },
  { code: 'P2028', message: 'Unable to start a transaction in the given time' },
  { code: ['TransactionWriteConflict', 'TooManyConnections', 'DatabaseNotReachable'] },
  { code: ['P2010', 'P2039'], message: "Can't reach database server" },
];

/** Errors after which a statement or COMMIT may have been applied. */
export const PRISMA_AMBIGUOUS: readonly ErrorPattern[] = [
  { code: ['P1017', 'P1008'] },
  { code: ['P2010', 'P2039'], message: 'Server has closed the connection' },
  { code: 'ConnectionClosed' },
];
