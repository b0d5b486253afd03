import { retries } from '../option.ts';
import { defineSystem, type System } from '../system.ts';

/** RabbitMQ: the delivery limit of a quorum queue. */
export const rabbitmqQuorum: System = /* @__PURE__ */ defineSystem({
  name: 'rabbitmq-quorum',
  title: 'RabbitMQ quorum queue',
  version: '3.10.8',
  fidelity: 'exact',
  remarks: [
    'A message is delivered again at once, and a closed channel counts, too, for each message that was prefetched. There is no limit by default before 4.0.',
  ],
  options: { 'x-delivery-limit': retries(Infinity, 'deliveries after the first') },
  policy: (values) => ({ maxAttempts: values['x-delivery-limit'], backoff: { type: 'none' } }),
});
