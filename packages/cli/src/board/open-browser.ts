import { spawn } from 'node:child_process';
import type { CliEnvironment } from '../environment.ts';
import type { LoopbackServer } from './serve.ts';

/** What opens an address, by platform. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` is no program; its first argument would be the title of a window.
  win32: ['cmd', '/c', 'start', ''],
};

/**
 * Opens an address in the user's browser, by the opener of the platform; says so where there is none.
 *
 * @param server - with addresses without characters that a shell reads
 */
export function openBrowser(
  { url, openingUrl }: Pick<LoopbackServer, 'url' | 'openingUrl'>,
  { env, stderr }: Pick<CliEnvironment, 'env' | 'stderr'>,
): void {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const opener = spawn(command, [...args, openingUrl], { env: { ...env }, stdio: 'ignore', detached: true });
  opener.on('error', () => {
    stderr.write(`retry: ${command} was not found, so no browser was opened. Open ${url}\n`);
  });
  opener.unref();
}
