import { executions, ignored, ms, value, where } from '../option.ts';
import { constant, defineSystem, type System } from '../system.ts';

/** NATS clients: reconnecting. */
export const natsCore: System = /* @__PURE__ */ defineSystem({
  name: 'nats-core',
  title: 'NATS client',
  version: '3.4.0',
  fidelity: 'exact',
  remarks: ['The count is by server, and the first try of each server is made at once.'],
  options: {
    maxReconnectAttempts: where(-1, Infinity, executions(10, 'all tries of one server; -1: no limit')),
    reconnectTimeWait: ms(2_000, 'the delay'),
    reconnectJitter: ms(100, 'up to which a delay is longer'),
    reconnectJitterTLS: ms(1_000, 'the same with TLS'),
    tls: value(
      {
        unit: 'object',
        parse: (given) => given !== null && given !== undefined && given !== false,
        must: 'an object',
      },
      false,
      'whether TLS is used',
    ),
    servers: ignored('addresses'),
  },
  policy: ({ maxReconnectAttempts, reconnectTimeWait, reconnectJitter, reconnectJitterTLS, tls }) => ({
    maxAttempts: maxReconnectAttempts,
    backoff: constant(reconnectTimeWait),
    jitter: { plus: tls ? reconnectJitterTLS : reconnectJitter },
    granularity: 1,
  }),
});
