import type { LiveWorker } from '@retry/core/broker';
import { compareText, readFacts } from '@retry/core/broker/kit';
import { KEPT_ATTENDANCE } from '../../record/requests.ts';
import { workersScript } from '../../scripts/insight/workers.ts';
import { fromTag } from '../../store/keys.ts';
import type { Store } from '../../store/store.ts';
import { runListScript } from '../../store/store.ts';

/** What the script returns of a worker: its name, and the values of an attendance in their order. */
type Reply = readonly (readonly [worker: string, values: readonly unknown[]])[];

interface Kept {
  readonly aliveUntil: number;
  readonly lanes: readonly string[];
  readonly attendedAt?: number;
  readonly facts?: string;
}

/** Returns the workers that are alive, by name. */
export async function listWorkers(store: Store): Promise<readonly LiveWorker[]> {
  const reply = (await runListScript(store, workersScript, [])) as Reply; // what our own script returns
  return reply
    .map(([worker, values]) => toWorker(worker, nameValues(values)))
    .sort((left, right) => compareText(left.worker, right.worker));
}

function nameValues(values: readonly unknown[]): Kept {
  return Object.fromEntries(KEPT_ATTENDANCE.map((name, index) => [name, values[index]])) as unknown as Kept; // by the list that made them
}

function toWorker(worker: string, { aliveUntil, lanes, attendedAt = 0, facts = '' }: Kept): LiveWorker {
  const said = readFacts(facts);
  return {
    ...{ worker, lanes: lanes.map(fromTag), attendedAt, aliveUntil },
    ...(said !== undefined && { facts: said }),
  };
}
