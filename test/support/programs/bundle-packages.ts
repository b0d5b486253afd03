import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { listPackageNames, listTypeScript, readText, root } from '../repository.ts';

/** Reads files beside its sources, so it stays as it is. */
const UNBUNDLED = ['board'];

const cache = join(root, 'node_modules/.cache/retry-packages');

/** How long bundles of earlier sources are kept, in ms: another run may use them. */
const KEEP_MS = 3_600_000;

/**
 * Bundles every entry of our packages, unless these sources have been bundled before, and returns the folder: `map.json` has the URL
 * of each source file that a bundle stands for. A process that compiled some 600 source files would take two seconds longer.
 */
export function bundlePackages(): string {
  const names = listPackageNames().filter((name) => !UNBUNDLED.includes(name));
  const folder = join(cache, hashOf(names.flatMap((name) => listTypeScript(`packages/${name}/src`))));
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  removeOld();
  const target = mkdtempSync(join(cache, 'new-'));
  const bundles = names.flatMap((name) => bundle(name, join(target, name)));
  const moved = bundles.map(({ source, path }) => [
    pathToFileURL(source).href,
    pathToFileURL(join(folder, relative(target, path))).href,
  ]);
  writeFileSync(join(target, 'map.json'), JSON.stringify(Object.fromEntries(moved)));
  publish(target, folder);
  return folder;
}

function bundle(name: string, outdir: string): readonly { readonly source: string; readonly path: string }[] {
  const folder = join(root, 'packages', name);
  const { exports, publishConfig } = JSON.parse(readText(`packages/${name}/package.json`));
  const programs = Object.values<string>(publishConfig.bin ?? {}).map((path) =>
    path.replace('./dist/', './src/').replace(/\.js$/, '.ts'),
  );
  const entries = [...Object.values<string>(exports), ...programs].filter((path) => path.endsWith('.ts'));
  buildSync({
    entryPoints: entries.map((path) => join(folder, path)),
    outbase: join(folder, 'src'),
    ...{ outdir, outExtension: { '.js': '.mjs' } },
    ...{ bundle: true, splitting: true, packages: 'external', format: 'esm', target: 'node20' },
    platform: 'node',
  });
  return entries.map((path) => ({
    source: join(folder, path),
    path: join(outdir, path.replace('./src/', '').replace(/\.ts$/, '.mjs')),
  }));
}

/** Another process may have bundled the same sources meanwhile. */
function publish(target: string, folder: string): void {
  try {
    renameSync(target, folder);
  } catch (error) {
    rmSync(target, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}

function removeOld(): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    if (Date.now() - statSync(path).mtimeMs > KEEP_MS) rmSync(path, { recursive: true, force: true });
  }
}

function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) {
    const { mtimeMs, size } = statSync(join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}
