/**
 * Installs what the lockfile says, with the pinned pnpm; says and does nothing when that is already done.
 * A stamp in node_modules holds a hash of everything that decides the result.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pnpmVersion, runPnpm } from './pnpm.mjs';
import { listPackages, root } from './workspace.mjs';

const modules = join(root, 'node_modules');
const stampPath = join(modules, '.retry-setup');
const wanted = hashInputs();

if (!isInstalled()) install();

function hashInputs() {
  const manifests = listPackages().map(({ folder }) => join(folder, 'package.json'));
  const files = ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml'].map((file) => join(root, file));
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const file of [...files, ...manifests])
    hash.update(file.slice(root.length)).update(readFileSync(file));
  return hash.digest('hex');
}

function isInstalled() {
  if (!existsSync(stampPath) || readFileSync(stampPath, 'utf8') !== wanted) return false;
  const linked = listPackages().filter(({ manifest }) => manifest.dependencies);
  const folders = [join(modules, '.bin'), ...linked.map(({ folder }) => join(folder, 'node_modules'))];
  return folders.every((folder) => existsSync(folder));
}

function install() {
  console.log(`Installing with ${pnpmVersion} …`);
  const startedAt = Date.now();
  // A pnpm that fails may have emptied node_modules before, and leaves hidden files such as the stamp.
  rmSync(stampPath, { force: true });
  const { code, output } = runPnpm([
    'install',
    '--frozen-lockfile',
    '--ignore-scripts',
    '--prod=false', // the tools are needed even where NODE_ENV says production
    '--config.confirmModulesPurge=false', // nobody may be there to answer
    '--reporter=append-only',
  ]);
  if (code !== 0) {
    process.stderr.write(`${output}\nSetup failed: the lines above are what ${pnpmVersion} said.\n`);
    process.exit(code);
  }
  writeFileSync(stampPath, wanted);
  console.log(`Installed in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`);
}
