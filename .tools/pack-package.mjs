/** Makes the tarball of a package as a release publishes it. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { runPnpm } from './pnpm.mjs';
import { run } from './run.mjs';
import { readJson, root } from './workspace.mjs';

/** Where the repository is published: an address such as https://example.com/owner/retry, which a release sets. */
const { RETRY_REPOSITORY: repository } = process.env;

/** A link of Markdown to a file: its text in brackets, and its path with what follows that. */
const LINK = /(!?\[[^\]]*\])\((?![a-z]+:|#)([^)\s]+)\)/g;

/**
 * Packs a built package (pnpm applies publishConfig), then mends what only holds in the repository.
 *
 * @returns `{ code, output, tarball }`
 */
export function packPackage({ name, folder }, destination) {
  mkdirSync(destination, { recursive: true });
  const before = readdirSync(destination);
  const packed = runPnpm(['pack', '--pack-destination', destination], { cwd: folder });
  if (packed.code !== 0) return packed;
  const file = readdirSync(destination).find((entry) => entry.endsWith('.tgz') && !before.includes(entry));
  if (file === undefined) return { code: 1, output: `pnpm made no new tarball in ${destination}` };
  const tarball = join(destination, file);
  return { ...finishTarball(tarball, { name, base: repository }), tarball };
}

/**
 * Adds the pages that the README links to, as `docs/`, and makes its links lead somewhere from there: to the repository (`base`), or to
 * those pages. Without a base the manifest says nothing of a repository.
 */
export function finishTarball(tarball, { name, base }) {
  const folder = mkdtempSync(join(dirname(tarball), 'unpacked-'));
  try {
    const unpacked = run('tar', ['-xzf', tarball, '-C', folder]);
    if (unpacked.code !== 0) return unpacked;
    const inside = join(folder, 'package');
    const manifest = readJson(join(inside, 'package.json'));
    const readme = readFileSync(join(inside, 'README.md'), 'utf8');
    const at = { base: base && `${base}/blob/v${manifest.version}`, pages: linkedPages(readme, name) };
    writeFileSync(join(inside, 'README.md'), relink(readme, { ...at, from: `packages/${name}` }));
    if (at.pages.length > 0) mkdirSync(join(inside, 'docs'));
    for (const page of at.pages) {
      const text = readFileSync(join(root, page), 'utf8');
      writeFileSync(join(inside, page), relink(text, { ...at, from: 'docs', isPage: true }));
    }
    writeFileSync(
      join(inside, 'package.json'),
      `${JSON.stringify(withRepository(manifest, name, base), null, 2)}\n`,
    );
    return run('tar', ['-czf', tarball, '-C', folder, 'package']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The pages of `docs/` that a README links to, by their paths in the repository. */
function linkedPages(readme, name) {
  const paths = [...readme.matchAll(LINK)].map(([, , path]) =>
    posix.join('packages', name, path.split('#')[0]),
  );
  return [...new Set(paths)].filter(
    (path) => /^docs\/[\w-]+\.md$/.test(path) && existsSync(join(root, path)),
  );
}

function relink(text, { base, pages, from, isPage = false }) {
  return text.replaceAll(LINK, (_, label, path) => {
    const target = posix.join(from, path);
    const isInside = pages.includes(target.split('#')[0]) && (isPage || base === undefined);
    if (isInside) return `${label}(${isPage ? posix.relative('docs', target) : target})`;
    return base === undefined ? label.replace(/^!?\[|\]$/g, '') : `${label}(${base}/${target})`;
  });
}

function withRepository(manifest, name, base) {
  if (base === undefined) return manifest;
  const url = `git+${base}.git`;
  return {
    ...manifest,
    homepage: `${base}#readme`,
    repository: { type: 'git', url, directory: `packages/${name}` },
  };
}
