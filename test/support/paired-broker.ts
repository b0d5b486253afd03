import { deepStrictEqual } from 'node:assert';
import type { Broker, ExchangeReply, ExchangeRequest, ListQuery, Run, RunPage } from '@retry/core/broker';

/** Two brokers as one that returns the answers of the first, and rejects when the second answers differently. */
export function pairBrokers(first: Broker, second: Broker): Broker {
  const both = async <Answer>(verb: string, call: (broker: Broker) => Promise<Answer>): Promise<Answer> => {
    const [one, other] = [await call(first), await call(second)];
    deepStrictEqual(bare(one), bare(other), `${verb} is answered differently`);
    return one;
  };
  return {
    submit: (submissions) => both('submit', (broker) => broker.submit(submissions)),
    settleAndClaim: async (request) => {
      if (request.claim?.lanes.size !== 0) return exchangeBoth(first, second, request);
      // Of a claim that is repeated, a broker may leave out the runs that its worker no longer holds.
      await second.settleAndClaim(request);
      return first.settleAndClaim(request);
    },
    heartbeat: (beats, leaseMs) => both('heartbeat', (broker) => broker.heartbeat(beats, leaseMs)),
    // The order of leases that end at the same instant is not specified.
    findExpired: (limit, scope) =>
      both('findExpired', async (broker) => byId(await broker.findExpired(limit, scope))),
    cancel: (ids) => both('cancel', (broker) => broker.cancel(ids)),
    end: (requests) => both('end', (broker) => broker.end(requests)),
    reschedule: (requests) => both('reschedule', (broker) => broker.reschedule(requests)),
    hold: (holds) => both('hold', (broker) => broker.hold(holds)),
    resume: (requests) => both('resume', (broker) => broker.resume(requests)),
    holds: () => both('holds', (broker) => broker.holds()),
    reserve: (requests) => both('reserve', (broker) => broker.reserve(requests)),
    findCancelRequests: (leases) => both('findCancelRequests', (broker) => broker.findCancelRequests(leases)),
    redrive: (ids, options) => both('redrive', (broker) => broker.redrive(ids, options)),
    discard: (ids) => both('discard', (broker) => broker.discard(ids)),
    get: (ids, options) => both('get', (broker) => broker.get(ids, options)),
    list: (query) => listBoth(first, second, query),
    waitForWork: first.waitForWork,
    waitForResult: first.waitForResult,
    // Whether runs that wait for a concurrency key count is not specified.
    attend: async (attendance) => {
      await second.attend(attendance);
      return first.attend(attendance);
    },
    audit: () => both('audit', (broker) => broker.audit()),
    isRefusal: first.isRefusal,
    close: async () => {
      await Promise.all([first.close(), second.close()]);
    },
  };
}

/**
 * While a lane is on hold, `nextRunAt` depends on whether runs wait in it; whether those that wait for a concurrency key count is
 * not specified.
 */
async function exchangeBoth(first: Broker, second: Broker, request: ExchangeRequest): Promise<ExchangeReply> {
  const isOnHold = (await first.holds()).length > 0;
  const [one, other] = [await first.settleAndClaim(request), await second.settleAndClaim(request)];
  const compared = isOnHold ? { ...one, nextRunAt: other.nextRunAt } : one;
  deepStrictEqual(bare(compared), bare(other), 'settleAndClaim is answered differently');
  return one;
}

/**
 * A page of the first. Where the order is specified, each page of the second is the same. Elsewhere all pages of both have the same
 * runs.
 */
async function listBoth(first: Broker, second: Broker, query: ListQuery): Promise<RunPage> {
  const message = `list ${JSON.stringify(query)} is answered differently`;
  if (!ORDERED.includes(query.state)) {
    if (query.after === undefined) {
      const [one, other] = [await listAll(first, query), await listAll(second, query)];
      deepStrictEqual(bare(byId(one)), bare(byId(other)), message);
    }
    return first.list(query);
  }
  const { after = NONE, ...rest } = query;
  const [one, other] = JSON.parse(after) as readonly [string | null, string | null]; // as written below
  const left = await first.list(one === null ? rest : { ...rest, after: one });
  const right = await second.list(other === null ? rest : { ...rest, after: other });
  deepStrictEqual(bare(left.runs), bare(right.runs), message);
  if (left.next === undefined || right.next === undefined) {
    // A page that is full may be followed by an empty one.
    for (const [broker, { next }] of [[first, left] as const, [second, right] as const])
      if (next !== undefined) deepStrictEqual(await listAll(broker, { ...rest, after: next }), [], message);
    return { runs: left.runs };
  }
  return { runs: left.runs, next: JSON.stringify([left.next, right.next]) };
}

const NONE = '[null,null]';

/** The states whose order is specified exactly. Of ended runs that one call ends it is not. */
const ORDERED: readonly string[] = ['submitted', 'scheduled'];

async function listAll(broker: Broker, query: ListQuery): Promise<readonly Run[]> {
  const found: Run[] = [];
  for (let after = query.after; ; ) {
    const { runs, next } = await broker.list(after === undefined ? query : { ...query, after });
    found.push(...runs);
    if (next === undefined) return found;
    after = next;
  }
}

/** Without the keys that are undefined: for a reader they are absent. */
function bare(value: unknown): unknown {
  return value === undefined ? value : JSON.parse(JSON.stringify(value));
}

function byId<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return [...items].sort((left, right) => (left.id < right.id ? -1 : 1));
}
