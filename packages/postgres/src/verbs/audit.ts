import type { Audit } from '@retry/core/broker';
import { byEnd } from '@retry/core/broker/kit';
import type { Database } from '../driver/database.ts';

/** Counts the runs by state. */
export async function auditRuns(database: Database): Promise<Audit> {
  const audit = JSON.parse((await database.call('audit_runs', {})) ?? '') as Audit; // what our own function builds
  return { ...audit, ended: { ...byEnd(() => 0), ...audit.ended } };
}
