/** Runs where npm has brought the bundlers: prints, as JSON, what each makes of `entry.mjs` for a browser. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import nodeResolve from '@rollup/plugin-node-resolve';
import terser from '@rollup/plugin-terser';
import { rollup } from 'rollup';
import { build as buildByVite } from 'vite';
import webpack from 'webpack';

const folder = import.meta.dirname;
const entry = join(folder, 'entry.mjs');

async function byRollup() {
  const bundle = await rollup({
    input: entry,
    plugins: [nodeResolve(), terser({ module: true, ecma: 2020 })],
  });
  const { output } = await bundle.generate({ format: 'es' });
  return output[0].code;
}

async function byWebpack() {
  const output = {
    path: folder,
    filename: 'webpack-bundle.mjs',
    module: true,
    library: { type: 'module' },
  };
  const options = { mode: 'production', target: 'web', context: folder, entry, output };
  await new Promise((resolve, reject) =>
    webpack({ ...options, experiments: { outputModule: true } }, (error, stats) => {
      if (error || stats.hasErrors()) reject(error ?? new Error(stats.toString()));
      else resolve();
    }),
  );
  return readFileSync(join(folder, output.filename), 'utf8');
}

async function byVite() {
  const rollupOptions = { input: entry, preserveEntrySignatures: 'strict' };
  const build = { write: false, target: 'es2022', rollupOptions };
  const results = await buildByVite({ root: folder, configFile: false, logLevel: 'silent', build });
  return [results].flat()[0].output[0].code;
}

const made = { rollup: await byRollup(), webpack: await byWebpack(), Vite: await byVite() };
console.log(JSON.stringify(made));
