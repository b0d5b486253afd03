/**
 * `npm run test:real -- next`: the recipe of docs/frameworks.md, built and started by Next itself, with our packages as they are packed. Both
 * routes answer, and SIGTERM lets the run in progress finish.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApp, statusOf } from '../frameworks/start-app.ts';
import { root } from '../support/repository.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';
import { folder, report, versioned } from './installed.ts';

const app = join(folder, 'mailer');
const next = join(folder, 'node_modules', 'next', 'dist', 'bin', 'next');

/** Installs our packages beside Next, and makes the application of the recipe. */
function prepare(): void {
  const packed = join(folder, 'packed');
  execFileSync('npm', ['run', '--silent', 'pack-all', '--', packed], { cwd: root, stdio: 'inherit' });
  const tarballs = readdirSync(packed).map((name) => join(packed, name));
  execFileSync('npm', ['install', '--no-audit', '--no-fund', ...tarballs], { cwd: folder, stdio: 'inherit' });
  cpSync(join(root, 'docs', 'recipes', 'frameworks', 'next'), app, { recursive: true });
  writeFileSync(join(app, 'package.json'), '{ "private": true }');
  writeFileSync(
    join(app, 'tsconfig.json'),
    '{ "compilerOptions": { "strict": true, "allowImportingTsExtensions": true } }',
  );
  writeFileSync(
    join(app, 'next.config.mjs'),
    "export default { serverExternalPackages: ['@retry/redis-queue', '@retry/worker', 'redis'] };",
  );
}

/** Submits a mail, and stops the application while it is sent. */
async function check(url: string): Promise<readonly string[]> {
  const env = { REDIS_URL: url, QUEUE_PREFIX: 'next', NEXT_MANUAL_SIG_HANDLE: 'true' };
  const server = await startApp({ args: [next, 'start'], cwd: app, env });
  try {
    const found: string[] = [];
    const ready = await statusOf(`${server.url}/ready`);
    if (ready !== 200) found.push(`/ready answered ${String(ready)}`);
    const { status } = await fetch(`${server.url}/mails`, { method: 'POST', body: '{ "to": "ada" }' });
    if (status !== 202) found.push(`/mails answered ${status}`);
    await Promise.race([server.printed('sending to ada'), sleep(30_000)]);
    const ended = await server.terminate();
    if (!server.output().includes('sent to ada'))
      found.push(`the mail was not sent, it ended by ${String(ended)}`);
    return found;
  } finally {
    server.kill();
  }
}

const redis = await startPrivateRedis();
try {
  prepare();
  execFileSync(process.execPath, [next, 'build'], { cwd: app, stdio: 'inherit' });
  report(versioned('next'), await check(redis.url));
} finally {
  await redis.stop();
}
