import type { Audit, Broker } from '@retry/core/broker';

/** Returns the answer of a call whose audit balances. */
type Check = <Answer>(call: Promise<Answer>) => Promise<Answer>;

/** Returns the broker, audited after every call: a call rejects when the audit that follows it does not balance. */
export function auditEachCall(broker: Broker): Broker {
  const check: Check = async (call) => {
    const answer = await call;
    assertBalanced(await broker.audit());
    return answer;
  };
  return {
    submit: (submissions, options) => check(broker.submit(submissions, options)),
    exchange: (request) => check(broker.exchange(request)),
    heartbeat: (leases, leaseMs) => check(broker.heartbeat(leases, leaseMs)),
    findExpired: (limit, scope) => check(broker.findExpired(limit, scope)),
    reserve: (requests) => check(broker.reserve(requests)),
    change: (changes, options) => check(broker.change(changes, options)),
    ...auditOperators(broker, check),
    get: (ids, options) => check(broker.get(ids, options)),
    list: (query) => check(broker.list(query)),
    wait: (request) => check(broker.wait(request)),
    attend: (attendance) => check(broker.attend(attendance)),
    audit: async () => {
      const audit = await broker.audit();
      assertBalanced(audit);
      return audit;
    },
    isRefusal: (error) => broker.isRefusal(error),
    ...(broker.ready && { ready: broker.ready }),
    close: () => broker.close(),
  };
}

function auditOperators({ figures, ...broker }: Broker, check: Check) {
  return {
    ...(figures && { figures: (query) => check(figures(query)) }),
    notes: {
      read: (query) => check(broker.notes.read(query)),
      write: (writes) => check(broker.notes.write(writes)),
    },
  } satisfies Partial<Broker>;
}

/** Throws when the figures do not add up, whatever the broker itself reports as `unbalanced`. */
export function assertBalanced(audit: Audit): void {
  const ended = Object.values(audit.ended).reduce((sum, count) => sum + count, 0);
  const found = audit.submitted + audit.scheduled + audit.started + ended + audit.forgotten;
  if (audit.unbalanced === 0 && audit.created === found) return;
  throw new Error(`the audit is unbalanced: ${JSON.stringify(audit)}`);
}
