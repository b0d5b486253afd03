import { type ErrorFamily, family, globs, globsOfAnyCase } from './family.ts';
import { NEVER_CONNECTS } from './permanent.ts';

const OF_LIBRDKAFKA = ['LibrdKafkaError', 'KafkaJSError'];

/** What the protocol of Kafka calls retriable. Other clients say so in the error; librdkafka only of transactions. */
const RETRIABLE_OF_BROKERS = [
  ...[2, 3, 5, 6, 7, 9, 13, 14, 15, 16, 19, 20, 41, 56],
  ...[70, 71, 72, 74, 75, 78, 80, 83, 84, 88],
];

/** Matches errors of Kafka that may pass, as kafkajs, @platformatic/kafka and librdkafka throw them. */
export const kafka: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [
    { name: 'KafkaJSConnectionError', message: globs('Connection error: connect *') },
    // _QUEUE_FULL, _WAIT_COORD
    { name: OF_LIBRDKAFKA, code: [-184, -180] },
  ],
  ambiguous: [
    // It has the message of its last attempt alone.
    { name: 'KafkaJSNumberOfRetriesExceeded' },
    {
      name: ['KafkaJSConnectionError', 'KafkaJSConnectionClosedError', 'KafkaJSRequestTimeoutError'],
      unless: { message: globs('Connection error: connect *') },
    },
    { code: ['PLT_KFK_NETWORK', 'PLT_KFK_TIMEOUT'] },
    // _TRANSPORT, _MSG_TIMED_OUT, _ALL_BROKERS_DOWN, _TIMED_OUT, _TIMED_OUT_QUEUE, _RETRY
    { name: OF_LIBRDKAFKA, code: [-195, -192, -187, -185, -166, -153] },
    { name: OF_LIBRDKAFKA, code: RETRIABLE_OF_BROKERS },
    {
      name: ['KafkaJS*', 'LibrdKafkaError'],
      retryable: true,
      unless: { message: globs('The producer is disconnected', 'Connection error: connect *') },
    },
    { code: 'PLT_KFK_*', retryable: true },
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
    { name: 'AMQPError', code: ['NACK', 'TIMEOUT', 'CONNECTION_TIMEOUT'] },
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
    { code: [320, 541], message: 'closed' }, // CONNECTION_FORCED, INTERNAL_ERROR
    {
      name: 'AMQPConnectionError',
      code: ['CONN_CLOSE', 'CONNECTION_FORCED', 'INTERNAL_ERROR', 'SOCKET_CLOSED', 'SOCKET_TIMEOUT'],
    },
    { name: 'AMQPError', code: 'RPC_TIMEOUT' },
    { name: 'AMQPError', code: 'RPC_CLOSED', message: globs('RPC channel closed unexpectedly') },
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
  notApplied: [
    {
      message: globs(
        'connack timeout',
        'No connection to broker',
        'Connection refused: Server unavailable',
        'Connection refused: Server busy',
        'Connection refused: Connection rate exceeded',
      ),
    },
  ],
  ambiguous: [{ message: globs('Keepalive timeout', 'Connection closed') }],
});
