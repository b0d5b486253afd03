/**
 * `npm run test:real`: installs the newest versions of HTTP clients in a temporary folder, and holds the decisions about what they throw to
 * what is right. For every night: it says what changed since `test/real` was recorded, with versions.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './workspace.mjs';

const source = readFileSync(join(root, 'test', 'real', 'live-clients.ts'), 'utf8');
const names = [...source.matchAll(/^ {2}'?([@\w/-]+)'?: (?:async )?\(\{/gm)].map(([, name]) => name);

const folder = mkdtempSync(join(tmpdir(), 'retry-real-'));
try {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...names], {
    cwd: folder,
    stdio: 'inherit',
  });
  const { status } = spawnSync('npx', ['tsx', join(root, 'test', 'real', 'live.ts'), folder], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
