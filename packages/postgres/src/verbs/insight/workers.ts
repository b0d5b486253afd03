import type { LiveWorker } from '@retry/core/broker';
import { compareText, readFacts } from '@retry/core/broker/kit';
import type { Database } from '../../driver/database.ts';

interface Row extends Omit<LiveWorker, 'facts'> {
  readonly facts: string | null;
}

/** Returns the workers that are alive, by name. */
export async function listWorkers(database: Database): Promise<readonly LiveWorker[]> {
  const rows = JSON.parse((await database.call('list_workers', {})) ?? '[]') as readonly Row[]; // what our own function builds
  return rows.map(toWorker).sort((left, right) => compareText(left.worker, right.worker));
}

function toWorker({ facts, ...worker }: Row): LiveWorker {
  const said = readFacts(facts ?? '');
  return { ...worker, ...(said !== undefined && { facts: said }) };
}
