import { readFile } from 'node:fs/promises';

/** URLs of bundles by those of the sources they stand for. */
let bundles = new Map();
/** The folder of the bundles, as a URL. */
let home = '';
/** The folder of the packages, as a URL. */
let packages = '';

export function initialize(data) {
  bundles = new Map(Object.entries(data.bundles));
  ({ home, packages } = data);
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

/** A bundle need not be compiled. */
export async function load(url, context, next) {
  if (!url.startsWith(home)) return next(url, context);
  return { format: 'module', source: await readFile(new URL(url)), shortCircuit: true };
}

/** The packages that a bundle imports are found from its own. */
function sourceOf(url) {
  if (url === undefined || !url.startsWith(home)) return url;
  const [name] = url.slice(home.length).split('/');
  return `${packages}${name}/src/index.ts`;
}
