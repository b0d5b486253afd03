import type { Broker } from '@retry/core/broker';
import type { Fields } from '@retry/core/fields';

/** Reads the option `broker`; what is none is reported. */
export function readBroker(fields: Fields): Broker {
  const broker = fields.optional('broker', A_BROKER);
  if (fields.value('broker') === undefined) fields.fail('broker', A_BROKER.message, A_BROKER.cure);
  // Never read where there is none: what was reported is thrown.
  return broker ?? ({} as Broker);
}

/** The verbs that a queue and a worker begin with. */
const VERBS = ['submit', 'settleAndClaim', 'heartbeat', 'get', 'audit'] as const;

/** A broker in the place of the options. */
export const BARE_BROKER = {
  accepts: (value: unknown): boolean => A_BROKER.accepts(value),
  cure: 'Give it by its name: { broker }.',
};

const A_BROKER = {
  accepts: (value: unknown): value is Broker => {
    const broker: Partial<Broker> = typeof value === 'object' && value !== null ? value : {};
    return VERBS.every((verb) => typeof broker[verb] === 'function');
  },
  message: 'must be a broker',
  cure: 'Use broker: createMemoryBroker(), or await createRedisBroker({ url }).',
};
