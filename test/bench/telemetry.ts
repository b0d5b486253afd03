/**
 * `npm run bench -- telemetry`: what `@retry/otel` costs a call and a run. Each sample is a process of its own, because instrumentation is of
 * the whole process.
 */
import { spawnSync } from 'node:child_process';
import nodeModule from 'node:module';
import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { AlwaysOffSampler, AlwaysOnSampler, BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { withRetry } from '@retry/inprocess';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { publishDiagnostics } from '@retry/inprocess/node';
import { instrumentRetry } from '@retry/otel';
import { createRedisBroker } from '@retry/redis-queue';
import { createQueue, createWorker, defineTask } from '@retry/worker';

const RUNS = 10_000;
const CALLS = 200_000;
const RETRIED_CALLS = 50_000;

/** Our packages without the places where they ask whether somebody listens: what these cost is the difference. */
const WITHOUT_CHANNELS = 'the channels cut out';

/** A module that cuts them out of what is loaded after it. The other setups load it without a cut, as it costs something itself. */
const loadingWith = (replacement: string): string => `
import { registerHooks } from 'node:module';
const ASKED = /\\b[A-Za-z.]+\\.hasSubscribers\\b|\\bobserver\\.(?:observe|attempt)\\b(?!\\s*=[^=])/g;
registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context);
    if (!url.includes('/@retry/')) return loaded;
    return { ...loaded, source: Buffer.from(loaded.source).toString().replace(ASKED, '${replacement}') };
  },
});`;

/** What is registered in the process, from nothing to every span. */
const SETUPS: Readonly<Record<string, () => void>> = {
  ...('registerHooks' in nodeModule ? { [WITHOUT_CHANNELS]: () => {} } : {}), // not in Node 20
  'not instrumented': () => {},
  'instrumented, no SDK': () => void instrumentRetry({ calls: publishDiagnostics }),
  'metrics, no span sampled': () => {
    register(new AlwaysOffSampler());
    instrumentRetry({ calls: publishDiagnostics });
  },
  'metrics, every span': () => {
    register(new AlwaysOnSampler());
    instrumentRetry({ calls: publishDiagnostics, spans: 'every' });
  },
};

function register(sampler: AlwaysOnSampler | AlwaysOffSampler): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ sampler }));
  metrics.setGlobalMeterProvider(new MeterProvider());
}

/** Each returns microseconds of CPU for one. */
const WORKLOADS: Readonly<Record<string, () => Promise<number>>> = {
  'a call that succeeds': () => timeCalls(CALLS, async () => 1),
  'a call that is retried once': () => timeCalls(RETRIED_CALLS, failingOnce()),
  'a run, in memory': () => timeRuns(createMemoryBroker()),
  'a run, on Redis': () =>
    timeRuns(createRedisBroker({ url: process.env['REDIS_URL'] ?? '', prefix: `bench-${process.pid}` })),
};

const [workload, setup] = process.argv.slice(2);
if (workload !== undefined && setup !== undefined && workload in WORKLOADS) {
  SETUPS[setup]?.();
  console.log(await WORKLOADS[workload]?.());
  process.exit();
}
await compare();

async function compare(): Promise<void> {
  const { printHeader, printTable, roundsOr } = await import('./report.ts');
  const { inRounds } = await import('./rounds.ts');
  const { openRedisServer } = await import('./harness/redis-server.ts');
  const server = await openRedisServer();
  process.env['REDIS_URL'] = server.url;
  printHeader('telemetry', [server.version]);
  const rows = Object.keys(SETUPS).map((name) => ({ name }));
  for (const title of Object.keys(WORKLOADS)) {
    const results = await inRounds(rows, roundsOr(5), (index) => sample(title, rows[index]?.name ?? ''));
    printTable(title, 'µs of CPU', results);
  }
  await server.stop();
}

function sample(title: string, name: string): number {
  const loading = encodeURIComponent(loadingWith(name === WITHOUT_CHANNELS ? 'undefined' : '$&'));
  const hook = WITHOUT_CHANNELS in SETUPS ? [`--import=data:text/javascript,${loading}`] : [];
  const args = [...process.execArgv, ...hook, process.argv[1] ?? '', title, name];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${title}, ${name} did not get through: ${stderr}`);
  return Number(stdout);
}

async function timeCalls(count: number, fn: () => Promise<number>): Promise<number> {
  const call = withRetry(fn, { maxAttempts: 3, backoff: { type: 'none' } }, { name: 'load' });
  for (let index = 0; index < count / 10; index += 1) await call(); // compiled
  return perOne(count, async () => {
    for (let index = 0; index < count; index += 1) await call();
  });
}

function failingOnce(): () => Promise<number> {
  const error = new Error('failed');
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls % 2 === 1) throw error;
    return calls;
  };
}

async function timeRuns(broker: ReturnType<typeof createMemoryBroker>): Promise<number> {
  const task = defineTask({ name: 'bench', run: async () => {} });
  const queue = createQueue({ broker });
  const doAll = async (count: number): Promise<void> => {
    await queue.submitMany(task, Array<void>(count).fill(undefined));
    await createWorker({ broker, tasks: [task], concurrency: 50, signals: [] }).drain();
  };
  await doAll(RUNS / 10); // compiled
  return perOne(RUNS, () => doAll(RUNS));
}

async function perOne(count: number, work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
