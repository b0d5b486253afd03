/** How every package is built: tsup runs this in the package's own folder. */
import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { defineConfig } from 'tsup';
import { tsImport } from 'tsx/esm/api';

const { exports, publishConfig, version } = JSON.parse(readFileSync('package.json', 'utf8'));
// Programs are built to be run, and stand in publishConfig alone: nothing links them before they are there.
const programs = Object.values(publishConfig.bin ?? {}).map((path) =>
  path.replace('./dist/', './src/').replace(/\.js$/, '.ts'),
);
const isProgram = programs.length > 0;
const entries = [...Object.values(exports).filter((path) => path.endsWith('.ts')), ...programs];

/** What a program bundles may be CommonJS, which requires modules of Node. */
const REQUIRE =
  "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

/** The board builds its page from sources when it is asked for it; in a package the page is there, as strings. */
const builtPage = {
  name: 'built-page',
  setup(build) {
    build.onLoad({ filter: /board\/src\/assets\/page-assets\.ts$/ }, async ({ path }) => {
      const { pageAssets } = await tsImport(path, import.meta.url);
      return { contents: `export const pageAssets = async () => (${JSON.stringify(await pageAssets())});` };
    });
  },
};

export default defineConfig({
  // What the workspace exports from src is what dist holds: ./src/a/b.ts becomes dist/a/b.js.
  entry: Object.fromEntries(entries.map((path) => [path.slice('./src/'.length, -'.ts'.length), path])),
  format: 'esm',
  target: ['node20', 'es2022'],
  platform: 'neutral',
  // `node:assert` stays `node:assert`: other runtimes know built-in modules by that prefix only.
  removeNodeProtocol: false,
  external: [/^node:/, ...(isProgram ? builtinModules : [])],
  ...(isProgram && { banner: { js: REQUIRE } }),
  define: { RETRY_VERSION: JSON.stringify(version) },
  dts: true,
  esbuildPlugins: [builtPage],
  clean: true,
  treeshake: true,
  // Libraries are readable as they are: no minifying, so no source maps either. A program is to be small.
  minify: isProgram,
  sourcemap: false,
});
