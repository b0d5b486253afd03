/**
 * What `npm run bench` installs, in a folder of the system's temporary one: nothing of it is in the repository. A folder is
 * named by a hash of its contents, so it is made once.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { runPnpm } from './pnpm.mjs';
import { run } from './run.mjs';
import { listPublishable, readJson, root } from './workspace.mjs';

const scratch = join(tmpdir(), 'retry-bench');
const source = join(root, 'test', 'bench');

/** Installs a Node and the peers of it; gives their folder and the program. @throws when npm cannot bring them */
export function installPeers(node) {
  const { newest, overrides } = readJson(join(source, 'peers.json'));
  const { devDependencies } = readJson(join(root, 'package.json'));
  const names = Object.keys(newest);
  const dependencies =
    Number(node) >= 24 ? newest : Object.fromEntries(names.map((name) => [name, devDependencies[name]]));
  const manifest = { private: true, type: 'module', dependencies: { ...dependencies, node }, overrides };
  const folder = makeOnce(`peers-${hash(JSON.stringify(manifest))}`, (target) => {
    console.log(`Installing Node ${node} and the peers into ${scratch} …`);
    writeFileSync(join(target, 'package.json'), JSON.stringify(manifest));
    const args = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
    const { code, output } = run('npm', args, { cwd: target, shell: process.platform === 'win32' });
    if (code !== 0)
      throw new Error(
        `${output.trim()}\nThe benchmarks need Node ${node} and ${names.join(', ')} from npm, which could not bring them. ` +
          'Run this once where the registry can be reached; they are kept.',
      );
  });
  return {
    folder,
    node: join(folder, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node'),
  };
}

/** Builds, packs and installs our packages below the folder of the peers; gives the folder. */
export function installPackages(peers) {
  const packages = listPublishable();
  const files = packages.flatMap(({ folder }) => [
    join(folder, 'package.json'),
    ...readdirSync(join(folder, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort(),
  ]);
  const name = `packages-${hash(...files.flatMap((file) => [file.slice(root.length), readFileSync(file)]))}`;
  return makeOnce(
    name,
    (target) => {
      console.log('Building, packing and installing our packages …');
      pack(packages, target);
      const tarballs = readdirSync(target).filter((file) => file.endsWith('.tgz'));
      writeFileSync(join(target, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
      const args = [
        'install',
        '--prefer-offline',
        '--no-audit',
        '--no-fund',
        '--no-package-lock',
        '--ignore-scripts',
      ];
      stopOn(
        run('npm', [...args, ...tarballs.map((file) => `./${file}`)], {
          cwd: target,
          shell: process.platform === 'win32',
        }),
      );
    },
    peers,
  );
}

/** Bundles test/bench without what is installed, beside it; gives the folder. */
export function bundleBench(home) {
  const folder = mkdtempSync(join(home, 'bench-'));
  buildSync({
    entryPoints: readdirSync(source)
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
      .map((file) => join(source, file)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    packages: 'external',
    // A process loads only the contender that it runs.
    splitting: true,
    // The support of the tests finds the repository from where its file is.
    define: {
      'import.meta.url': JSON.stringify(pathToFileURL(join(root, 'test', 'support', 'one.ts')).href),
    },
    bundle: true,
    format: 'esm',
    target: 'node20',
    platform: 'node',
    logLevel: 'error',
  });
  return folder;
}

/** Builds only when a package refuses to be packed because it is not built, which takes long. */
function pack(packages, target) {
  const tryPack = () =>
    packages
      .map(({ folder }) => runPnpm(['pack', '--pack-destination', target], { cwd: folder }))
      .find(({ code }) => code !== 0);
  if (tryPack() === undefined) return;
  stopOn(run(process.execPath, [join(root, '.tools', 'build.mjs')]));
  stopOn(tryPack() ?? { code: 0 });
}

/** A folder that exists only once it is complete. */
function makeOnce(name, make, parent = scratch) {
  const folder = join(parent, name);
  if (existsSync(folder)) return folder;
  mkdirSync(parent, { recursive: true });
  const target = mkdtempSync(join(parent, 'new-'));
  try {
    make(target);
    renameSync(target, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // another bench has made it meanwhile
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
  return folder;
}

function hash(...parts) {
  const sum = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const part of parts) sum.update(part);
  return sum.digest('hex').slice(0, 16);
}

function stopOn({ code, output }) {
  if (code !== 0) throw new Error(output);
}
