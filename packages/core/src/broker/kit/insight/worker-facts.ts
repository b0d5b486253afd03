import type { LaneFlow, WorkerFacts, WorkerFlow } from '../../insight/workers.ts';

/** Returns the facts of a worker as text, as brokers keep them; empty without any. */
export function writeFacts(facts: WorkerFacts | undefined): string {
  return facts === undefined ? '' : JSON.stringify(facts);
}

/** Returns the facts of a text; `undefined` when it has none, or was written by another program. */
export function readFacts(text: string): WorkerFacts | undefined {
  if (text === '') return undefined;
  try {
    const facts: unknown = JSON.parse(text);
    return isFacts(facts) ? facts : undefined;
  } catch {
    return undefined;
  }
}

function isFacts(value: unknown): value is WorkerFacts {
  if (typeof value !== 'object' || value === null) return false;
  const { slots, slotsTaken, leases, flow } = value as Partial<WorkerFacts>; // each is checked here
  if (![slots, slotsTaken, leases].every(isNumber)) return false;
  return flow === undefined || isFlow(flow);
}

function isFlow({ windowMs, lanes }: Partial<WorkerFlow>): boolean {
  return isNumber(windowMs) && Array.isArray(lanes) && lanes.every(isLaneFlow);
}

function isLaneFlow({ lane, starts, retries, ends, maxLatenessMs }: Partial<LaneFlow>): boolean {
  return typeof lane === 'string' && [starts, retries, ends, maxLatenessMs].every(isNumber);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}
