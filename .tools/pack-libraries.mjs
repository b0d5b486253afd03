/** Tarballs of the libraries that our packages install, so that a consumer can be made without a network. */
import { cpSync, mkdirSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from './run.mjs';
import { readJson, root } from './workspace.mjs';

/** Packs every library of these packages and what it needs in turn. @returns `[name, tarball]` of each */
export function packLibraries(folder, packed) {
  mkdirSync(folder);
  const found = new Map();
  for (const { name, manifest } of packed) {
    const required = { dependencies: manifest.dependencies, peerDependencies: requiredPeers(manifest) };
    collect(join(root, 'packages', name, 'node_modules'), required, found);
  }
  return [...found].map(([name, source]) => [name, pack(source, join(folder, name.replace('/', '-')))]);
}

/** npm installs these by itself; the optional ones are drivers, which users choose. */
function requiredPeers({ peerDependencies = {}, peerDependenciesMeta = {} }) {
  return Object.fromEntries(
    Object.entries(peerDependencies).filter(([name]) => peerDependenciesMeta[name]?.optional !== true),
  );
}

/** Makes the tarball as a registry has it. `npm pack` refuses some packages that a registry already has processed. */
function pack(source, destination) {
  cpSync(source, join(destination, 'package'), {
    recursive: true,
    filter: (path) => basename(path) !== 'node_modules',
  });
  const tarball = `${destination}.tgz`;
  const { code, output } = run('tar', ['-czf', tarball, '-C', destination, 'package']);
  if (code !== 0) throw new Error(output);
  return tarball;
}

/** pnpm links what a package needs beside that package. */
function collect(modules, { dependencies = {}, peerDependencies = {} }, found) {
  const required = Object.keys({ ...dependencies, ...peerDependencies });
  for (const name of required.filter((entry) => !entry.startsWith('@retry/') && !found.has(entry))) {
    const folder = realpathSync(join(modules, name));
    found.set(name, folder);
    const beside = join(folder, name.includes('/') ? '../..' : '..');
    collect(beside, readJson(join(folder, 'package.json')), found);
  }
}
