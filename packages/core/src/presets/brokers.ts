import { type ErrorFamily, family, globs, globsOfAnyCase } from './family.ts';
import { NEVER_CONNECTS } from './permanent.ts';

/** Matches errors of Kafka that may pass, as kafkajs, @platformatic/kafka and librdkafka throw them. */
export const kafka: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [
    { name: 'KafkaJSNumberOfRetriesExceeded', message: globs('Connection error: connect *') },
    { name: 'KafkaJSConnectionError', message: globs('Connection error: connect *') },
  ],
  ambiguous: [
    {
      name: [
        'KafkaJSNumberOfRetriesExceeded',
        'KafkaJSConnectionError',
        'KafkaJSConnectionClosedError',
        'KafkaJSRequestTimeoutError',
      ],
      unless: { message: globs('Connection error: connect *') },
    },
    { code: ['PLT_KFK_NETWORK', 'PLT_KFK_TIMEOUT'] },
    // _TRANSPORT, _MSG_TIMED_OUT, _ALL_BROKERS_DOWN, _TIMED_OUT, _TIMED_OUT_QUEUE
    { name: ['LibrdKafkaError', 'KafkaJSError'], code: [-195, -192, -187, -185, -166] },
    { retryable: true, unless: { message: globs('The producer is disconnected') } },
  ],
  unless: NEVER_CONNECTS,
});

/** Matches errors of RabbitMQ that may pass, as amqplib, amqp-connection-manager and rabbitmq-client throw them. */
export const amqp: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [
    {
      message: globs(
        'message nacked',
        'connect ETIMEDOUT',
        'Socket closed abruptly during opening handshake*',
      ),
    },
    { name: 'AMQPError', code: ['NACK', 'TIMEOUT'] },
  ],
  ambiguous: [
    {
      message: globs(
        'Unexpected close',
        'Heartbeat timeout',
        'Channel ended, no reply will be forthcoming',
        'channel closed',
      ),
    },
    { code: [320, 541] }, // CONNECTION_FORCED, INTERNAL_ERROR
    { name: 'AMQPConnectionError', code: ['CONN_CLOSE', 'CONNECTION_FORCED', 'SOCKET_CLOSED'] },
  ],
});

/** Matches errors of NATS that may pass, of version 2 and 3 of its clients. */
export const nats: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [
    { name: ['RequestError', 'NoRespondersError'], message: globs('no responders*') },
    { name: 'ConnectionError', message: globs('connection refused*', 'connection timeout*') },
    { name: 'JetStreamApiError', status: 503 }, // version 2 has it as its code
    { name: 'NatsError', code: ['503', 'NO_RESPONDERS', 'CONNECTION_REFUSED', 'CONNECTION_TIMEOUT'] },
  ],
  ambiguous: [
    { name: 'TimeoutError', message: globs('timeout*') },
    { name: ['RequestError', 'ConnectionError'], message: globs('connection closed*', 'disconnect*') },
    { name: 'NatsError', code: ['TIMEOUT', 'DISCONNECT'] },
  ],
  unless: [{ message: globsOfAnyCase('jetstream not enabled*') }],
});

/** Matches errors of mqtt.js that may pass. */
export const mqtt: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [{ message: globs('connack timeout') }],
  ambiguous: [{ message: globs('Keepalive timeout', 'Connection closed') }],
});
