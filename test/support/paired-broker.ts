import { deepStrictEqual } from 'node:assert';
import type { Broker } from '@retry/core/broker';

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
      if (request.claim?.lanes.size !== 0)
        return both('settleAndClaim', (broker) => broker.settleAndClaim(request));
      // Of a claim that is repeated, a broker may leave out the runs that its worker no longer holds.
      await second.settleAndClaim(request);
      return first.settleAndClaim(request);
    },
    heartbeat: (beats, leaseMs) => both('heartbeat', (broker) => broker.heartbeat(beats, leaseMs)),
    // The order of leases that end at the same instant is not specified.
    findExpired: (limit, scope) =>
      both('findExpired', async (broker) => byId(await broker.findExpired(limit, scope))),
    cancel: (ids) => both('cancel', (broker) => broker.cancel(ids)),
    findCancelRequests: (leases) => both('findCancelRequests', (broker) => broker.findCancelRequests(leases)),
    redrive: (ids, options) => both('redrive', (broker) => broker.redrive(ids, options)),
    discard: (ids) => both('discard', (broker) => broker.discard(ids)),
    get: (ids, options) => both('get', (broker) => broker.get(ids, options)),
    list: (query) => both('list', (broker) => broker.list(query)),
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

/** Without the keys that are undefined: for a reader they are absent. */
function bare(value: unknown): unknown {
  return value === undefined ? value : JSON.parse(JSON.stringify(value));
}

function byId<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return [...items].sort((left, right) => (left.id < right.id ? -1 : 1));
}
