/** `--import use-bundles.mjs?bundles=FOLDER`: imports of our packages load their bundles. */
import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = new URL(import.meta.url).searchParams.get('bundles');
const data = {
  bundles: JSON.parse(readFileSync(join(folder, 'map.json'), 'utf8')),
  home: `${pathToFileURL(folder).href}/`,
  packages: new URL('../../../packages/', import.meta.url).href,
};
register('./bundle-hooks.mjs', { parentURL: import.meta.url, data });
