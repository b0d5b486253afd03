/**
 * `npm run test:real`: installs real clients in a temporary folder, and holds us to what they do. For every night: it says what changed,
 * with versions. `npm run test:real -- exports fetch` runs these parts alone.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './workspace.mjs';

/** The names of the packages that a table of calls has, in their newest versions. */
function namesIn(file) {
  const source = readFileSync(join(root, 'test', 'real', file), 'utf8');
  return [...source.matchAll(/^ {2}'?([@\w/.-]+)'?: (?:(?:async )?\(\{|\{$)/gm)].map(([, name]) => name);
}

/** Each part: the program that runs it, and what is installed for it. */
const PARTS = {
  /** The newest HTTP clients against a server that fails: is each of their errors decided right? */
  clients: { program: 'live.ts', packages: [...namesIn('live-clients.ts'), 'graphql'] },
  /** Exported policies in the real systems: the delays are within our bounds. */
  exports: {
    program: 'live-exports.ts',
    packages: [
      ...['@grpc/grpc-js@1.14.7', '@nats-io/jetstream@3.4.0', '@nats-io/transport-node@3.4.0'],
      ...['@aws-sdk/client-sqs', 'aws-local-stepfunctions@3.0.0', 'fauxqs@1.9.2', 'firebase-tools@15.34.2'],
    ],
  },
  /** Real faults on real servers through their newest drivers: is each error known as applied or not? */
  faults: {
    program: 'live-faults.ts',
    packages: [
      ...namesIn('live-drivers.ts'),
      ...['redis', 'ioredis', 'libsql', '@libsql/client', 'node-sqlite3-wasm'],
      ...['@nats-io/jetstream', '@nats-io/transport-node', 'nats'],
      ...['amqplib', 'amqp-connection-manager', 'rabbitmq-client'],
    ],
  },
  /** `createRetryFetch()` as the `fetch` of SDKs. */
  fetch: { program: 'live-sdk-fetch.ts', packages: [...namesIn('live-sdk-fetch.ts'), 'graphql'] },
  /** The recipe for Next, built and started by Next. */
  next: {
    program: 'live-next.ts',
    packages: [
      ...['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1'],
      ...['@types/node', '@types/react', 'redis', 'typescript@5.9.3'],
    ],
  },
  /** `retryTransaction` by real drivers on real databases. */
  transactions: {
    program: 'live-transactions.ts',
    packages: ['postgres@3.4.9', 'mysql2@3.24.6', 'mariadb@3.5.4', 'libsql@0.5.29'],
  },
};

const given = process.argv.slice(2);
const unknown = given.find((name) => !Object.hasOwn(PARTS, name));
if (unknown !== undefined) {
  console.error(`There is no part ${unknown}: ${Object.keys(PARTS).join(', ')}.`);
  process.exit(2);
}
const chosen = Object.entries(PARTS).filter(([name]) => given.length === 0 || given.includes(name));

const folder = mkdtempSync(join(tmpdir(), 'retry-real-'));
try {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const packages = [...new Set(chosen.flatMap(([, part]) => part.packages))];
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
    cwd: folder,
    stdio: 'inherit',
  });
  for (const [name, { program }] of chosen) {
    console.log(`\n${name}`);
    const { status } = spawnSync('npx', ['tsx', join(root, 'test', 'real', program), folder], {
      cwd: root,
      stdio: 'inherit',
    });
    process.exitCode = Math.max(process.exitCode ?? 0, status ?? 1);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
