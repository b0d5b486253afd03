/** `npm run test:real -- exports`: gives exported policies to gRPC and NATS JetStream, and compares the delays with the bounds of the policies. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definePolicy, delayBounds, type Policy, type PolicyInput } from '@retry/core';
import { exportPolicy } from '@retry/core/dialects/export';
import { allowedAttempts, settingsOf } from '@retry/core/fields';
import { findBinary, findFreePort, runServer } from '../support/servers/run-server.ts';
import { load, report, versioned } from './installed.ts';

const PLAIN = { retryAfter: { mode: 'ignore' } } as const satisfies PolicyInput;
const EXPONENTIAL = { type: 'exponential', base: 50 } as const;

/** How much later than its delay an attempt may be seen: a busy machine. */
const LATE_MS = 60;

/** How much earlier: the attempt before it was seen late. */
const EARLY_MS = 25;

const SPREAD = { jitter: { proportional: 0.2 }, capAt: 'ignores-jitter' } as const;

const FOR_GRPC: readonly PolicyInput[] = [
  { maxAttempts: 5, backoff: EXPONENTIAL, ...SPREAD },
  { maxAttempts: 4, backoff: { ...EXPONENTIAL, factor: 3 }, ...SPREAD },
  { maxAttempts: 3, backoff: { type: 'constant', base: 200 }, ...SPREAD },
  { maxAttempts: 5, backoff: EXPONENTIAL, maxDelay: 120, ...SPREAD },
  { maxAttempts: 5, backoff: { ...EXPONENTIAL, factor: 1.5 }, maxDelay: '1s', ...SPREAD },
  { maxAttempts: 2, backoff: { ...EXPONENTIAL, base: 300 }, ...SPREAD },
  { maxAttempts: 4, backoff: { ...EXPONENTIAL, base: 33.5 }, ...SPREAD },
  { maxAttempts: 1 },
  { maxAttempts: 3, backoff: { ...EXPONENTIAL, factor: 4 }, maxDelay: 150, ...SPREAD },
  { maxAttempts: 5, backoff: { type: 'constant', base: 100 }, ...SPREAD },
];

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

/** Returns what is wrong with the gaps between the attempts of a policy. */
function compare(policy: Policy, arrivals: readonly number[], title: string): readonly string[] {
  const attempts = allowedAttempts(settingsOf(policy));
  if (arrivals.length !== attempts) return [`${title}: ${arrivals.length} attempts instead of ${attempts}`];
  return arrivals.slice(1).flatMap((at, index) => {
    const [least, most] = delayBounds(policy, index + 1);
    const gap = at - (arrivals[index] ?? 0);
    const isWithin = gap >= least - EARLY_MS && gap <= most + LATE_MS;
    return isWithin
      ? []
      : [`${title}: retry ${index + 1} after ${Math.round(gap)} ms instead of ${least} to ${most}`];
  });
}

function exported(system: 'grpc' | 'nats', input: PolicyInput) {
  const policy = definePolicy({ ...PLAIN, ...input });
  const { options, lost } = exportPolicy(policy, system);
  return { policy, options, lost: lost.map(({ key }) => `${JSON.stringify(input)} loses ${key}`) };
}

async function checkGrpc(): Promise<void> {
  const grpc = await load('@grpc/grpc-js');
  const bytes = {
    requestSerialize: Buffer.from,
    requestDeserialize: Buffer.from,
    responseSerialize: Buffer.from,
    responseDeserialize: Buffer.from,
  };
  const service = {
    call: { path: '/test.Test/Call', requestStream: false, responseStream: false, ...bytes },
  };
  let arrivals: number[] = [];
  const server = new grpc.Server();
  server.addService(service, {
    call: (_call: unknown, answer: (error: object) => void) => {
      arrivals.push(performance.now());
      answer({ code: grpc.status.UNAVAILABLE, details: 'down' });
    },
  });
  const credentials = grpc.ServerCredentials.createInsecure();
  const port: number = await new Promise((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', credentials, (error: unknown, bound: number) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  const found: string[] = [];
  for (const input of FOR_GRPC) {
    const { policy, options, lost } = exported('grpc', input);
    const config = {
      loadBalancingConfig: [],
      methodConfig: [{ name: [{ service: 'test.Test' }], ...options }],
    };
    const Client = grpc.makeGenericClientConstructor(service, 'Test');
    const client = new Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), {
      'grpc.service_config': JSON.stringify(config),
      'grpc.service_config_disable_resolution': 1,
    });
    await new Promise<void>((resolve) => client.waitForReady(Date.now() + 5_000, () => resolve()));
    arrivals = [];
    await new Promise<void>((resolve) => client.call(Buffer.from('x'), () => resolve()));
    client.close();
    found.push(...lost, ...compare(policy, arrivals, JSON.stringify(input)));
  }
  server.forceShutdown();
  report(`${FOR_GRPC.length} policies in ${versioned('@grpc/grpc-js')}`, found);
}

async function checkNats(): Promise<void> {
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
    const found = await Promise.all(
      FOR_NATS.map(async (input, index) => {
        const { policy, options, lost } = exported('nats', input);
        const { max_deliver, backoff } = options as {
          readonly max_deliver?: number;
          readonly backoff: readonly string[];
        };
        const name = `s${index}`;
        await manager.streams.add({ name, subjects: [name], storage: 'memory' });
        const times = backoff.map((text) => nanos(Number.parseFloat(text)));
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
        return [...lost, ...compare(policy, arrivals, JSON.stringify(input))];
      }),
    );
    await connection.close();
    report(`${FOR_NATS.length} policies in ${versioned('@nats-io/jetstream')}`, found.flat());
  } finally {
    server.signal('SIGKILL');
    await server.exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

await checkGrpc();
await checkNats();
