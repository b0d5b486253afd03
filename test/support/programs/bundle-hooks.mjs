import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** URLs of bundles by those of the sources they stand for. */
let bundles = new Map();
/** The folder of the bundles, as a URL. */
let home = '';
/** The folder of the packages, as a URL. */
let packages = '';
/** The folder of what TypeScript was compiled to. */
let compiled = '';

export function initialize(data) {
  bundles = new Map(Object.entries(data.bundles));
  ({ home, packages, compiled } = data);
}

export async function resolve(specifier, context, next) {
  const isRelative = /^\.|^file:/.test(specifier);
  const resolved = await next(
    specifier,
    isRelative ? context : { ...context, parentURL: sourceOf(context.parentURL) },
  );
  const url = bundles.get(resolved.url.replace(/\?.*$/, ''));
  return url === undefined ? resolved : { url, format: 'module', shortCircuit: true };
}

/** A bundle need not be compiled, and other TypeScript once: to load tsx takes as long as all else of a short program. */
export async function load(url, context, next) {
  if (url.startsWith(home))
    return { format: 'module', source: await readFile(new URL(url)), shortCircuit: true };
  if (!/\.m?ts$/.test(url)) return next(url, context);
  return { format: 'module', source: await compile(fileURLToPath(url)), shortCircuit: true };
}

async function compile(path) {
  const text = await readFile(path, 'utf8');
  const sourcefile = basename(path);
  const hash = createHash('sha256').update(`${sourcefile}\n${text}`).digest('hex');
  const kept = join(compiled, `${hash}.mjs`);
  const known = await readFile(kept, 'utf8').catch(() => undefined);
  if (known !== undefined) return known;
  const { transform } = await import('esbuild');
  const options = { loader: 'ts', format: 'esm', target: 'node20', sourcemap: 'inline' };
  const { code } = await transform(text, { ...options, sourcefile });
  await mkdir(compiled, { recursive: true });
  // Another process may do the same: the file gets its name when it is whole.
  const written = `${kept}.${randomUUID()}`;
  await writeFile(written, code);
  await rename(written, kept);
  return code;
}

/** The packages that a bundle imports are found from its own. */
function sourceOf(url) {
  if (url === undefined || !url.startsWith(home)) return url;
  const [name] = url.slice(home.length).split('/');
  return `${packages}${name}/src/index.ts`;
}
