/** How users bundle a program for Node: each as its documentation says, with the drivers as packages beside the bundle, or inside of it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { run } from './run.mjs';

const DRIVERS = ['redis', 'pg'];

/** Packages that a driver asks for and does without, which are nowhere. */
const ABSENT = ['pg-native'];

/**
 * By name: the packages that npm has to bring, the file that is made in `outdir`, and how it is made: `entry` is the program,
 * `bin` finds a command of those packages, and `hasDrivers` says that the bundle is to contain the drivers.
 */
export const BUNDLERS = {
  'esbuild to ESM': {
    packages: [],
    file: 'program.mjs',
    // CommonJS in an ESM bundle of esbuild cannot load what Node has.
    isOnlyWithout: true,
    bundle: (way) => bundleByEsbuild(way, 'esm'),
  },
  'esbuild to CommonJS': {
    packages: [],
    file: 'program.cjs',
    bundle: (way) => bundleByEsbuild(way, 'cjs'),
  },
  webpack: {
    packages: ['webpack', 'webpack-cli'],
    file: 'program.cjs',
    bundle: ({ entry, outdir, cwd, hasDrivers, bin }) => {
      const externals = Object.fromEntries(
        (hasDrivers ? ABSENT : DRIVERS).map((name) => [name, `commonjs ${name}`]),
      );
      const output = { path: outdir, filename: 'program.cjs' };
      const options = { mode: 'production', target: 'node', context: cwd, entry, externals, output };
      const config = writeConfig(cwd, 'webpack', options);
      return run(bin('webpack'), ['--config', config], { cwd });
    },
  },
  'Vite for SSR': {
    packages: ['vite'],
    file: 'program.mjs',
    bundle: ({ entry, outdir, cwd, hasDrivers, bin }) => {
      const rollupOptions = { output: { entryFileNames: 'program.mjs' } };
      const build = { ssr: entry, outDir: outdir, emptyOutDir: true, rollupOptions };
      const noExternal = hasDrivers
        ? true
        : ['@retry/core', '@retry/worker', '@retry/redis-queue', '@retry/postgres'];
      const config = writeConfig(cwd, 'vite', { root: cwd, build, ssr: { noExternal } });
      return run(bin('vite'), ['build', '--config', config], { cwd });
    },
  },
  ncc: {
    packages: ['@vercel/ncc'],
    file: 'index.mjs',
    bundle: ({ entry, outdir, cwd, hasDrivers, bin }) => {
      const external = hasDrivers ? [] : DRIVERS.flatMap((name) => ['--external', name]);
      return run(bin('ncc'), ['build', entry, '--out', outdir, ...external], { cwd });
    },
  },
};

function bundleByEsbuild({ entry, outdir, hasDrivers }, format) {
  buildSync({
    entryPoints: [entry],
    ...{ bundle: true, platform: 'node', target: 'node20', format, minify: true, logLevel: 'error' },
    outfile: join(outdir, format === 'esm' ? 'program.mjs' : 'program.cjs'),
    external: hasDrivers ? ABSENT : DRIVERS,
  });
  return { code: 0, output: '' };
}

function writeConfig(folder, name, options) {
  const path = join(folder, `${name}.config.mjs`);
  writeFileSync(path, `export default ${JSON.stringify(options)};\n`);
  return path;
}
