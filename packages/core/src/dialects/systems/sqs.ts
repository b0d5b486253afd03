import { executions, ignored, seconds } from '../option.ts';
import { constant, defineSystem, type System } from '../system.ts';

/** Amazon SQS: the redrive policy of a queue. */
export const sqs: System = /* @__PURE__ */ defineSystem({
  name: 'sqs',
  title: 'Amazon SQS',
  version: '2012-11-05',
  documentedOn: '2026-11-28',
  fidelity: 'exact',
  remarks: ['The visibility timeout begins with the receipt: a handler that takes long waits less.'],
  options: {
    maxReceiveCount: executions(Infinity, 'all deliveries'),
    VisibilityTimeout: seconds(30_000, 'the time until a message is delivered again'),
    deadLetterTargetArn: ignored('a queue'),
  },
  policy: ({ maxReceiveCount, VisibilityTimeout }) => ({
    maxAttempts: maxReceiveCount,
    backoff: constant(VisibilityTimeout),
  }),
});
