/** How every package is built: tsup runs this in the package's own folder. */
import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

const { exports, publishConfig } = JSON.parse(readFileSync('package.json', 'utf8'));
// Programs are built to be run, and stand in publishConfig alone: nothing links them before they are there.
const programs = Object.values(publishConfig.bin ?? {}).map((path) =>
  path.replace('./dist/', './src/').replace(/\.js$/, '.ts'),
);
const entries = [...Object.values(exports).filter((path) => path.endsWith('.ts')), ...programs];

export default defineConfig({
  // What the workspace exports from src is what dist holds: ./src/a/b.ts becomes dist/a/b.js.
  entry: Object.fromEntries(entries.map((path) => [path.slice('./src/'.length, -'.ts'.length), path])),
  format: 'esm',
  target: ['node20', 'es2022'],
  platform: 'neutral',
  // `node:assert` stays `node:assert`: other runtimes know built-in modules by that prefix only.
  removeNodeProtocol: false,
  external: [/^node:/],
  dts: true,
  clean: true,
  treeshake: true,
  // Readable as it is: no minifying, so no source maps either.
  minify: false,
  sourcemap: false,
});
