/**
 * `npm test` answers in about a minute: what needs no server, and a smoke test of both brokers. With arguments that choose tests
 * (`-- --project cli`, `-- --changed`, `-- some/file`) it chooses from all of them. `npm run test:all`, `test:redis`,
 * `test:postgres` and `test:nightly` run those tiers (test/tiers.ts).
 */
import { spawnSync } from 'node:child_process';
import { binOf, env } from './run.mjs';
import { root } from './workspace.mjs';

const [tier = 'quick', ...args] = process.argv.slice(2);
const chooses = args.some((arg) => /^(--project|--changed|--shard|-t|--testNamePattern)\b|^[^-]/.test(arg));
const RETRY_TESTS = tier === 'quick' && chooses ? 'all' : tier;

const { status } = spawnSync(
  process.execPath,
  [binOf('vitest', 'vitest'), 'run', '--config', 'test/vitest.config.ts', ...args],
  { cwd: root, env: { ...env, RETRY_TESTS }, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
