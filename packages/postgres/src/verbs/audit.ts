import type { Audit } from '@retry/core/broker';
import type { Database } from '../driver/database.ts';

/** Counts the runs by state. */
export async function auditRuns(database: Database): Promise<Audit> {
  const audit = JSON.parse((await database.call('audit_runs', {})) ?? '') as Audit; // what our own function builds
  const none = { completed: 0, failed: 0, cancelled: 0, stalled: 0, dropped: 0, rateLimited: 0 };
  return { ...audit, ended: { ...none, ...audit.ended } };
}
