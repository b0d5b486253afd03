import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundlePackages } from './bundle-packages.ts';

/** What a program of its own process is given to run TypeScript and our packages, before its file: `node …args file`. */
export function nodeArgs(): readonly string[] {
  const use = pathToFileURL(fileURLToPath(new URL('use-bundles.mjs', import.meta.url)));
  use.searchParams.set('bundles', bundlePackages());
  return ['--import', use.href];
}
