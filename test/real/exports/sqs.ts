import type { PolicyInput } from '@retry/core';
import { load, type Modules, report, versioned } from '../installed.ts';
import { compareDelays, type Exported, exportedTo } from './compare.ts';

const POLICIES: readonly PolicyInput[] = [
  { maxAttempts: 5, backoff: { type: 'constant', base: '30s' }, jitter: 'none', maxDelay: '1h' },
  { maxAttempts: 1 },
  { maxAttempts: 2, backoff: { type: 'constant', base: '1s' }, jitter: 'none' },
  { maxAttempts: 10, backoff: { type: 'constant', base: '1m' }, jitter: 'none', maxDelay: '1h' },
  { maxAttempts: 3, backoff: { type: 'constant', base: '12h' }, jitter: 'none', maxDelay: '12h' },
  { maxAttempts: 4, backoff: { type: 'none' } },
  { maxAttempts: 100, backoff: { type: 'constant', base: '5m' }, jitter: 'none', maxDelay: '1h' },
  { maxAttempts: 7, backoff: { type: 'exponential', base: '10s', factor: 1 }, jitter: 'none' },
  { maxAttempts: 6, backoff: { type: 'list', delays: ['2s'] }, jitter: 'none' },
  { maxAttempts: 8, backoff: { type: 'exponential', base: '20s' }, jitter: 'none', maxDelay: '20s' },
];

/** An emulator of SQS that is not Amazon's: how long a message that is never deleted is not delivered again, and how often it is. */
export async function checkSqs(): Promise<void> {
  const { startFauxqs } = await load('fauxqs');
  const sdk = await load('@aws-sdk/client-sqs');
  const server = await startFauxqs({ host: '127.0.0.1', port: 0, logger: false });
  const client = new sdk.SQSClient({
    endpoint: server.address,
    region: 'us-east-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  });
  try {
    const found: string[] = [];
    const all = exportedTo('sqs', POLICIES);
    for (const [index, given] of all.entries()) {
      const delays = await record({ server, client, sdk }, `queue${index}`, given);
      found.push(...compareDelays(given, delays, { belowMs: 1_000, aboveMs: 1 }));
    }
    report(`${all.length} policies in ${versioned('fauxqs')}`, found);
  } finally {
    client.destroy();
    await server.stop();
  }
}

/** Returns how long a message is hidden after each receipt but the last; none of these times is waited for. */
async function record(
  { server, client, sdk }: Modules,
  name: string,
  { options }: Exported,
): Promise<readonly number[]> {
  const { maxReceiveCount, VisibilityTimeout } = options;
  const { queueArn: deadLetterTargetArn } = server.createQueue(`${name}-dead`);
  const { queueUrl: QueueUrl } = server.createQueue(name, {
    attributes: {
      VisibilityTimeout: String(VisibilityTimeout),
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount }),
    },
  });
  await client.send(new sdk.SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
  const hiddenMs: number[] = [];
  for (;;) {
    const { Messages } = await client.send(new sdk.ReceiveMessageCommand({ QueueUrl }));
    const ReceiptHandle = Messages?.[0]?.ReceiptHandle;
    if (ReceiptHandle === undefined) break;
    const [hidden] = server.inspectQueue(name).messages.inflight;
    hiddenMs.push(Math.max((hidden?.visibilityDeadline ?? 0) - Date.now(), 0));
    await client.send(
      new sdk.ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
    );
  }
  const { ready } = server.inspectQueue(`${name}-dead`).messages;
  return ready.length === 1 ? hiddenMs.slice(0, -1) : [];
}
