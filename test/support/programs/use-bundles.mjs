/** `--import use-bundles.mjs?bundles=FOLDER`: imports of our packages load their bundles, and other TypeScript is compiled. */
import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = new URL(import.meta.url).searchParams.get('bundles');
const data = {
  bundles: JSON.parse(readFileSync(join(folder, 'map.json'), 'utf8')),
  home: `${pathToFileURL(folder).href}/`,
  packages: new URL('../../../packages/', import.meta.url).href,
  compiled: fileURLToPath(new URL('../../../node_modules/.cache/retry-programs', import.meta.url)),
};
process.setSourceMapsEnabled(true);
register('./bundle-hooks.mjs', { parentURL: import.meta.url, data });
