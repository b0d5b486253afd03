import { amqp, kafka } from '@retry/core/errors';
import { describe, expect, it } from 'vitest';
import { errorWith, type Meaning, meaningIn, meaningOf } from './meaning.ts';

/** An answer of JetStream, as version 3 of the client throws it: its status and code are getters. */
class JetStreamApiError extends Error {
  override readonly name = 'JetStreamApiError';
  readonly #answer: { status: number; code: number };
  constructor(message: string, answer: { status: number; code: number }) {
    super(message);
    this.#answer = answer;
  }
  get status(): number {
    return this.#answer.status;
  }
  get code(): number {
    return this.#answer.code;
  }
}

/** An error of version 2 of the client, whose code is the status. */
function natsError(code: string, properties: object = {}): Error {
  return Object.assign(new Error(code), { name: 'NatsError', code, ...properties });
}

describe('nats', () => {
  const DISABLED = 'JetStream not enabled for account';

  it('does not repeat a call of JetStream by an account that has none, of version 2', () => {
    const answer = { code: 503, err_code: 10039, description: DISABLED };
    const chainedError = new Error('jetstream not enabled for account');

    expect(meaningOf(natsError('503', { chainedError, api_error: answer }))).toBe('permanent');
  });

  it('does not repeat a call of JetStream by an account that has none, of version 3', () => {
    const cause = new JetStreamApiError(DISABLED, { status: 503, code: 10039 });
    const error = Object.assign(new Error(DISABLED, { cause }), { name: 'JetStreamNotEnabled' });

    expect(meaningOf(error)).toBe('permanent');
  });

  it('takes the 503 of JetStream for a call that was refused, in both versions', () => {
    const text = 'JetStream system temporarily unavailable';
    const cause = new JetStreamApiError(text, { status: 503, code: 10008 });
    const api_error = { code: 503, err_code: 10008, description: text };

    expect(meaningOf(cause)).toBe('not applied');
    expect(meaningOf(natsError('503', { chainedError: new Error(text), api_error }))).toBe('not applied');
  });

  it('repeats a request without responders', () => {
    expect(meaningOf(natsError('503'))).toBe('not applied');
  });

  it('does not use a connection again that was closed before', () => {
    expect(meaningOf(natsError('CONNECTION_CLOSED'))).toBe('permanent');
  });

  it('takes an HTTP status of 503 for ambiguous as before', () => {
    expect(meaningOf(Object.assign(new Error('x'), { status: 503 }))).toBe('ambiguous');
  });
});

describe('kafka', () => {
  const ofLibrdkafka = (code: number): Error => errorWith({ name: 'LibrdKafkaError', code, errno: code });

  // librdkafka 2.15, src/rdkafka.h, as node-rdkafka 3.6 and confluent-kafka-javascript 1.10 throw them
  it.each<[string, number, Meaning]>([
    ['a queue of the producer that is full', -184, 'not applied'],
    ['no coordinator yet', -180, 'not applied'],
    ['a message that timed out', -192, 'ambiguous'],
    ['an operation to be retried', -153, 'ambiguous'],
    ['a leader that is none', 6, 'ambiguous'],
    ['too few replicas after the append', 20, 'ambiguous'],
    ['a message that is too large', 10, 'permanent'],
    ['a topic that is unknown', -188, 'permanent'],
    ['a producer that was fenced', -144, 'permanent'],
  ])('%s, of librdkafka', (_name, code, meaning) => {
    expect(meaningOf(ofLibrdkafka(code))).toBe(meaning);
    expect(meaningOf(errorWith({ name: 'KafkaJSError', code, retriable: false }))).toBe(meaning);
  });

  it('takes retries that kafkajs gave up for ambiguous, whatever the last of them says', () => {
    const message = 'Connection error: connect ECONNREFUSED 127.0.0.1:9092';
    const cause = errorWith(
      { name: 'KafkaJSConnectionError', code: 'ECONNREFUSED', retriable: true },
      message,
    );

    expect(
      meaningOf(errorWith({ name: 'KafkaJSNumberOfRetriesExceeded', retriable: false }, message, cause)),
    ).toBe('ambiguous');
    expect(meaningIn(kafka, cause)).toBe('not applied');
  });
});

describe('amqp', () => {
  // lib/connection.js and lib/format.js of amqplib 2.0
  it('matches what a server closes, not any error with the number 320', () => {
    const text = 'Connection closed: 320 (CONNECTION-FORCED) with message "CONNECTION_FORCED - operator"';

    expect(meaningOf(errorWith({ code: 320 }, text))).toBe('ambiguous');
    expect(meaningOf(errorWith({ code: 320 }, 'the invoice has no lines'))).toBe('permanent');
  });

  // src/exception.ts and src/Connection.ts of rabbitmq-client 5.0
  it.each<[string, string, string, Meaning]>([
    ['AMQPConnectionError', 'CONNECTION_TIMEOUT', 'connection timed out', 'not applied'],
    ['AMQPConnectionError', 'SOCKET_TIMEOUT', 'socket timed out (no heartbeat)', 'ambiguous'],
    ['AMQPError', 'RPC_TIMEOUT', 'RPC response timed out', 'ambiguous'],
    ['AMQPChannelError', 'RPC_CLOSED', 'RPC channel closed unexpectedly', 'ambiguous'],
    ['AMQPChannelError', 'RPC_CLOSED', 'RPC client is closed', 'permanent'],
    ['AMQPConnectionError', 'VERSION_MISMATCH', 'this version of AMQP is not supported', 'permanent'],
  ])('takes %s %s of rabbitmq-client, "%s", for %s', (name, code, message, meaning) => {
    class AMQPError extends Error {}
    expect(meaningIn(amqp, Object.assign(new AMQPError(message), { name, code }))).toBe(meaning);
  });
});

describe('mqtt', () => {
  // src/lib/handlers/ack.ts and src/lib/client.ts of MQTT.js 5.14
  it.each<[string, Meaning]>([
    ['Connection refused: Server busy', 'not applied'],
    ['Connection refused: Server unavailable', 'not applied'],
    ['No connection to broker', 'not applied'],
    ['Connection closed', 'ambiguous'],
    ['Connection refused: Not authorized', 'permanent'],
    ['Publish error: Topic Name invalid', 'permanent'],
  ])('takes "%s" for %s', (message, meaning) => {
    expect(meaningOf(new Error(message))).toBe(meaning);
  });
});
