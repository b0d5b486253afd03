import type { PolicyInput } from '@retry/core';
import { load, report, versioned } from '../installed.ts';
import { compareArrivals, EXPONENTIAL, exportedTo } from './compare.ts';

const SPREAD = {
  jitter: { proportional: 0.2 },
  capAt: 'ignores-jitter',
  retryAfter: { mode: 'replace', max: 'Infinity', jitter: 'none' },
} as const;

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

/** The service configuration of gRPC: the times at which its server sees the attempts of a call. */
export async function checkGrpc(): Promise<void> {
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
  const all = exportedTo('grpc', FOR_GRPC);
  for (const given of all) {
    const config = {
      loadBalancingConfig: [],
      methodConfig: [{ name: [{ service: 'test.Test' }], ...given.options }],
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
    found.push(...compareArrivals(given, arrivals));
  }
  server.forceShutdown();
  report(`${all.length} policies in ${versioned('@grpc/grpc-js')}`, found);
}
