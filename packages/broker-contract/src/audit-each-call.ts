import type { Audit, Broker } from '@retry/core/broker';

/** Returns the answer of a call whose audit balances. */
type Check = <Answer>(call: Promise<Answer>) => Promise<Answer>;

/** The same broker, audited after every call that moves or forgets runs, which rejects when the audit that follows does not balance. */
export function auditEachCall(broker: Broker): Broker {
  const check: Check = async (call) => {
    const answer = await call;
    assertBalanced(await broker.audit());
    return answer;
  };
  const { notes, figures } = broker;
  return {
    submit: (submissions, options) => check(broker.submit(submissions, options)),
    exchange: (request) => check(broker.exchange(request)),
    findExpired: (limit, scope) => check(broker.findExpired(limit, scope)),
    change: (changes, options) => check(broker.change(changes, options)),
    get: (ids, options) =>
      options?.collect === true ? check(broker.get(ids, options)) : broker.get(ids, options),
    heartbeat: (leases, leaseMs) => broker.heartbeat(leases, leaseMs),
    reserve: (requests) => broker.reserve(requests),
    list: (query) => broker.list(query),
    wait: (request) => broker.wait(request),
    attend: (attendance) => broker.attend(attendance),
    audit: async () => {
      const audit = await broker.audit();
      assertBalanced(audit);
      return audit;
    },
    isRefusal: (error) => broker.isRefusal(error),
    close: () => broker.close(),
    ...{ notes, ...(figures && { figures }) },
    ...(broker.ready && { ready: broker.ready }),
  };
}

/** Throws when the figures do not add up, whatever the broker itself reports as `unbalanced`. */
export function assertBalanced(audit: Audit): void {
  const ended = Object.values(audit.ended).reduce((sum, count) => sum + count, 0);
  const found = audit.submitted + audit.scheduled + audit.started + ended + audit.forgotten;
  if (audit.unbalanced === 0 && audit.created === found) return;
  throw new Error(`the audit is unbalanced: ${JSON.stringify(audit)}`);
}
