/**
 * `npm run pack-all`: builds every package and packs it, to try it from a clone: `npm run pack-all -- <folder>` says where. Prints what it does, and at
 * the end the command that installs all.
 */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { packPackage } from './pack-package.mjs';
import { report, run } from './run.mjs';
import { listPublishable, root } from './workspace.mjs';

const [given] = process.argv.slice(2);
const folder = given === undefined ? mkdtempSync(join(tmpdir(), 'retry-packed-')) : resolve(given);
mkdirSync(folder, { recursive: true });

const packages = listPublishable();
console.log(`Building ${packages.length} packages, which takes a minute or two …`);
const isBuilt = report('build', () =>
  run(process.execPath, [join(root, '.tools', 'build.mjs')], { show: true }),
);
if (isBuilt) {
  const tarballs = packages.map((entry) => {
    let tarball;
    report(`pack ${entry.name}`, () => {
      const packed = packPackage(entry, folder);
      tarball = packed.tarball;
      return packed;
    });
    return tarball;
  });
  if (!tarballs.includes(undefined)) {
    const path = relative(process.cwd(), folder).startsWith('..')
      ? folder
      : `./${relative(process.cwd(), folder)}`;
    console.log(`\nIn your project: npm install ${JSON.stringify(path)}/*.tgz`);
  }
}
