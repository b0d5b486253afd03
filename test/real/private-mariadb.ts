import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { findBinary, findFreePort, runServer } from '../support/servers/run-server.ts';

/** Starts a private MariaDB in a temporary folder, whose user `root` has no password, for as long as `work` runs; says so where there is none. */
export async function withMariadb(work: (port: number) => Promise<void>): Promise<void> {
  const binary = findBinary('mariadbd', ['/usr/sbin', '/usr/local/bin']);
  const install = findBinary('mariadb-install-db', ['/usr/bin', '/usr/local/bin']);
  if (binary === undefined || install === undefined)
    return console.log('MariaDB: not run, there is none here');
  const folder = mkdtempSync(join(tmpdir(), 'retry-mariadb-'));
  const port = await findFreePort();
  const own = ['--no-defaults', `--user=${userInfo().username}`, `--datadir=${join(folder, 'data')}`];
  const installed = runServer(install, [...own, '--auth-root-authentication-method=normal'], { cwd: folder });
  await installed.exited;
  const place = [`--socket=${join(folder, 's')}`, `--port=${port}`, '--bind-address=127.0.0.1'];
  const server = runServer(binary, [...own, ...place], { cwd: folder });
  try {
    await work(port);
  } finally {
    server.signal('SIGKILL');
    await server.exited;
    rmSync(folder, { recursive: true, force: true });
  }
}
