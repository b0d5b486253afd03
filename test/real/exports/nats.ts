import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PolicyInput } from '@retry/core';
import { findBinary, findFreePort, runServer } from '../../support/servers/run-server.ts';
import { load, report, versioned } from '../installed.ts';
import { compareArrivals, EXPONENTIAL, exportedTo } from './compare.ts';

const FOR_NATS: readonly PolicyInput[] = [
  { maxAttempts: 4, backoff: { ...EXPONENTIAL, base: 200 }, jitter: 'none' },
  { maxAttempts: 5, backoff: { type: 'constant', base: 250 }, jitter: 'none' },
  { maxAttempts: 4, backoff: { type: 'list', delays: [150, 300, 150] }, jitter: 'none' },
  { maxAttempts: 4, backoff: { type: 'linear', base: 150 }, jitter: 'none' },
  { maxAttempts: 5, backoff: { ...EXPONENTIAL, base: 150 }, maxDelay: 400, jitter: 'none' },
  { maxAttempts: 4, backoff: { type: 'fibonacci', base: 200 }, jitter: 'none' },
  { maxAttempts: 2, backoff: { type: 'constant', base: 900 }, jitter: 'none' },
  { maxAttempts: 3, backoff: { type: 'polynomial', base: 150, exponent: 2 }, jitter: 'none' },
  { maxAttempts: 3, backoff: { ...EXPONENTIAL, base: 120, factor: 3 }, jitter: 'none' },
  { maxAttempts: 6, backoff: { type: 'constant', base: 130 }, jitter: 'none' },
];

/** Consumers of NATS JetStream: the times at which a message that is never acknowledged is delivered. */
export async function checkNats(): Promise<void> {
  const binary = findBinary('nats-server', ['/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin']);
  if (binary === undefined) return console.log('NATS JetStream: not run, there is no nats-server here');
  const [{ connect, nanos }, { jetstream, jetstreamManager }] = [
    await load('@nats-io/transport-node'),
    await load('@nats-io/jetstream'),
  ];
  const folder = mkdtempSync(join(tmpdir(), 'retry-nats-'));
  const port = await findFreePort();
  const server = runServer(binary, ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder], {
    cwd: folder,
  });
  try {
    const connection = await connect({ port, waitOnFirstConnect: true });
    const manager = await jetstreamManager(connection);
    const all = exportedTo('nats', FOR_NATS);
    const found = await Promise.all(
      all.map(async (given, index) => {
        const { max_deliver, backoff } = given.options;
        const name = `s${index}`;
        await manager.streams.add({ name, subjects: [name], storage: 'memory' });
        const times = backoff.map((text: string) => nanos(Number.parseFloat(text)));
        await manager.consumers.add(name, {
          durable_name: 'c',
          ack_policy: 'explicit',
          max_deliver,
          backoff: times,
        });
        const consumer = await jetstream(connection).consumers.get(name, 'c');
        const arrivals: number[] = [];
        const messages = await consumer.consume({ callback: () => void arrivals.push(performance.now()) });
        await jetstream(connection).publish(name, 'x');
        await new Promise((resolve) => setTimeout(resolve, 3_000));
        await messages.close();
        return compareArrivals(given, arrivals);
      }),
    );
    await connection.close();
    report(`${all.length} policies in ${versioned('@nats-io/jetstream')}`, found.flat());
  } finally {
    server.signal('SIGKILL');
    await server.exited;
    rmSync(folder, { recursive: true, force: true });
  }
}
