/** How every package is built: tsup runs this in the package's own folder. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, resolve } from 'node:path';
import { defineConfig } from 'tsup';
import { tsImport } from 'tsx/esm/api';
import { markPure } from './mark-pure.mjs';
import { noticesOf } from './notices.mjs';
import { containsLibraries, expandStars } from './workspace.mjs';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const { exports, publishConfig, version } = manifest;
// Programs are built to be run, and stand in publishConfig alone: nothing links them before they are there.
const programs = Object.values(publishConfig.bin ?? {}).map((path) =>
  path.replace('./dist/', './src/').replace(/\.js$/, '.ts'),
);
const isWhole = containsLibraries(manifest);
const entries = [...expandStars(Object.values(exports)).filter((path) => path.endsWith('.ts')), ...programs];

/** What such a program contains may be CommonJS, which requires modules of Node. */
const REQUIRE =
  "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

/** The modules of the board's page, which is bundled by itself. */
const pageModules = [];

/** The board builds its page from sources when it is asked for it; in a package the page is there, as strings. */
const builtPage = {
  name: 'built-page',
  setup(build) {
    build.onLoad({ filter: /board\/src\/assets\/page-assets\.ts$/ }, async ({ path }) => {
      const { pageAssets } = await tsImport(path, import.meta.url);
      const { modules, ...assets } = await pageAssets();
      pageModules.push(...modules);
      return { contents: `export const pageAssets = async () => (${JSON.stringify(assets)});` };
    });
  },
};

/** Puts the licences of what is bundled beside it. */
const notices = {
  name: 'notices',
  setup(build) {
    build.initialOptions.metafile = true;
    build.onEnd(({ metafile }) => {
      const modules = Object.keys(metafile?.inputs ?? {}).map((path) => resolve(path));
      const text = noticesOf([...modules, ...pageModules]);
      if (text === undefined) return;
      mkdirSync('dist', { recursive: true });
      writeFileSync(join('dist', 'NOTICES.md'), text);
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
  external: [/^node:/, ...(isWhole ? builtinModules : [])],
  // A program loads a dozen files fewer so, which is a fifth of the time that a short command takes.
  noExternal: isWhole ? [/^@retry\/core(?:\/|$)/] : [],
  ...(isWhole && { banner: { js: REQUIRE } }),
  define: { RETRY_VERSION: JSON.stringify(version) },
  dts: true,
  esbuildPlugins: [builtPage, notices, ...(manifest.sideEffects === false && !isWhole ? [markPure] : [])],
  clean: true,
  treeshake: true,
  // Libraries are readable as they are: no minifying, so no source maps either. A program is to be small.
  minify: isWhole,
  sourcemap: false,
});
