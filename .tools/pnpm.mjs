/**
 * The pinned pnpm, for people who have only npm: `npm run pnpm -- add -D some-package`.
 * Its version stands in one place, the `packageManager` field of the root package.json.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.mjs';
import { readJson, root } from './workspace.mjs';

/** What `npx` is to fetch: `pnpm@x.y.z`. */
export const pnpmVersion = readJson(join(root, 'package.json')).packageManager;

/** Runs the pinned pnpm; takes the options of `run`. */
export function runPnpm(args, options) {
  const isWindows = process.platform === 'win32';
  return run('npx', ['--yes', pnpmVersion, ...args], { ...options, shell: isWindows });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = runPnpm(process.argv.slice(2), { show: true }).code;
}
