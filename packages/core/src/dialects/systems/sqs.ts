import { warnIf } from '../dialect.ts';
import { executions, seconds, value } from '../option.ts';
import { constant, defineSystem, type System } from '../system.ts';

/** Amazon SQS: the redrive policy of a queue. */
export const sqs: System = /* @__PURE__ */ defineSystem({
  name: 'sqs',
  title: 'Amazon SQS',
  version: '2012-11-05',
  documentation: {
    source: 'SetQueueAttributes and ReceiveMessage in the reference of its API',
    readOn: '2026-11-28',
  },
  fidelity: 'exact',
  remarks: [
    'The visibility timeout begins with the receipt: a handler that takes long waits less.',
    'Without a redrive policy a message is delivered until its retention ends, 4 days by default.',
  ],
  options: {
    maxReceiveCount: executions(
      NaN,
      'all deliveries; 10 by default with `deadLetterTargetArn`, without it no limit',
    ),
    VisibilityTimeout: seconds(30_000, 'the time until a message is delivered again'),
    deadLetterTargetArn: value(
      { unit: 'text', parse: (given) => (typeof given === 'string' ? given : undefined), must: 'text' },
      undefined,
      'the queue of dead letters',
    ),
  },
  policy: ({ maxReceiveCount, VisibilityTimeout, deadLetterTargetArn }) => ({
    maxAttempts: Number.isNaN(maxReceiveCount)
      ? deadLetterTargetArn === undefined
        ? Infinity
        : 10
      : maxReceiveCount,
    backoff: constant(VisibilityTimeout),
  }),
  warnings: ({ maxReceiveCount, VisibilityTimeout }, given) => [
    warnIf(maxReceiveCount > 1_000 || ('maxReceiveCount' in given && given.maxReceiveCount === 0), {
      code: 'OUT_OF_RANGE',
      path: 'maxReceiveCount',
      message: 'a message is received 1 to 1000 times there',
      cure: 'Use 1 to 1000, or leave the redrive policy out for no limit.',
    }),
    warnIf(VisibilityTimeout > 43_200_000, {
      code: 'OUT_OF_RANGE',
      path: 'VisibilityTimeout',
      message: 'a visibility timeout is at most 43200 s there',
      cure: 'Use at most 43200.',
    }),
  ],
});
