import { createRequire } from 'node:module';
import { buildSync } from 'esbuild';
import { root } from './workspace.mjs';

const requireModule = createRequire(import.meta.url);

/** The exports of a module of the sources, without a build. */
export function loadSource(path) {
  const { outputFiles } = buildSync({
    entryPoints: [path],
    absWorkingDir: root,
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
  });
  const module = { exports: {} };
  new Function('module', 'exports', 'require', outputFiles[0].text)(module, module.exports, requireModule);
  return module.exports;
}
