import type { Audit, Broker, ListQuery, Run, Submission, WaitOptions } from '@retry/core/broker';
import { RedisBrokerError } from '../errors.ts';
import { exchangeParts } from './exchange-parts.ts';
import { askEach } from './spread.ts';

/**
 * One broker over several partitions; a run lives in the partition of its id, so that everything that names an id
 * knows where to ask. The order of a lane holds within each partition only.
 */
export function joinParts(parts: readonly Broker[]): Broker {
  const partitions = parts.length;
  const byId = { partitions, idOf: (id: string) => id };
  const own = { partitions, idOf: ({ id }: { readonly id: string }) => id };
  return {
    submit: async (submissions) => {
      for (const submission of submissions) refuseConcurrency(submission);
      return askEach(submissions, own, (at, some) => partAt(parts, at).submit(some));
    },
    exchange: (request) => exchangeParts(parts, request),
    heartbeat: (beats, leaseMs) =>
      askEach(beats, own, (at, some) => partAt(parts, at).heartbeat(some, leaseMs)),
    findExpired: async (limit) =>
      (await Promise.all(parts.map((part) => part.findExpired(limit)))).flat().slice(0, limit),
    cancel: (ids) => askEach(ids, byId, (at, some) => partAt(parts, at).cancel(some)),
    redrive: (ids, options) => askEach(ids, byId, (at, some) => partAt(parts, at).redrive(some, options)),
    discard: (ids) => askEach(ids, byId, (at, some) => partAt(parts, at).discard(some)),
    get: (ids) => askEach(ids, byId, (at, some) => partAt(parts, at).get(some)),
    list: (query) => listParts(parts, query),
    waitForWork: (lanes, wait) => waitForAny(parts, lanes, wait),
    audit: async () => (await Promise.all(parts.map((part) => part.audit()))).reduce(addAudits),
    close: async () => {
      await Promise.all(parts.map((part) => part.close()));
    },
  };
}

function partAt(parts: readonly Broker[], index: number): Broker {
  const part = parts[index];
  if (part === undefined) throw new RangeError(`there is no partition ${index} of ${parts.length}`);
  return part;
}

function refuseConcurrency({ id, concurrency }: Submission): void {
  if (concurrency === undefined) return;
  const message = `run ${id} has a concurrency key, whose starts can be counted within one partition only. Use partitions: 1.`;
  throw new RedisBrokerError('NEEDS_ONE_PARTITION', message);
}

async function listParts(parts: readonly Broker[], query: ListQuery): Promise<readonly Run[]> {
  const pages = await Promise.all(parts.map((part) => part.list(query)));
  const byBytes = (left: Run, right: Run): number =>
    Buffer.compare(Buffer.from(left.id), Buffer.from(right.id));
  return pages.flat().sort(byBytes).slice(0, query.limit);
}

/** The first partition that has work ends the wait for the others too. */
async function waitForAny(
  parts: readonly Broker[],
  lanes: readonly string[],
  { timeoutMs, signal }: WaitOptions,
): Promise<void> {
  const others = new AbortController();
  const stop = (): void => others.abort();
  if (signal?.aborted) return;
  signal?.addEventListener('abort', stop);
  const waits = parts.map((part) => part.waitForWork(lanes, { timeoutMs, signal: others.signal }));
  try {
    await Promise.race(waits);
  } finally {
    stop();
    signal?.removeEventListener('abort', stop);
    await Promise.allSettled(waits);
  }
}

function addAudits(one: Audit, other: Audit): Audit {
  const ended = { ...one.ended };
  for (const [state, count] of Object.entries(other.ended)) ended[state as keyof typeof ended] += count; // its own keys
  return {
    submitted: one.submitted + other.submitted,
    waiting: one.waiting + other.waiting,
    scheduled: one.scheduled + other.scheduled,
    started: one.started + other.started,
    ended,
    forgotten: one.forgotten + other.forgotten,
    unbalanced: one.unbalanced + other.unbalanced,
  };
}
