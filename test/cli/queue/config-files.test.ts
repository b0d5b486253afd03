import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../support/repository.ts';

/** Below the repository, whose `tsx` the project then has. */
let folder = '';
let reader = '';
beforeAll(() => {
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'retry-config-'));
  reader = join(folder, 'read-config.mjs');
  buildSync({
    entryPoints: [join(root, 'packages/cli/src/connect/read-config.ts')],
    ...{ outfile: reader, bundle: true, format: 'esm', platform: 'node', target: 'node20' },
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Reads a configuration in a process whose Node knows no TypeScript. */
function readInPlainNode(cwd: string): string {
  const program = `
    const { readConfig } = await import(${JSON.stringify(pathToFileURL(reader).href)});
    const config = await readConfig({ cwd: ${JSON.stringify(cwd)}, stderr: process.stderr }, { json: true });
    console.log(JSON.stringify(config.options));`;
  const types = process.allowedNodeEnvironmentFlags.has('--experimental-strip-types');
  const args = [...(types ? ['--no-experimental-strip-types'] : []), '--input-type=module', '-e', program];
  const { NODE_OPTIONS: _, ...env } = process.env;
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  return stdout + stderr;
}

const TYPED = 'const url: string = "redis://a";\n';

describe('a configuration in a Node that knows no TypeScript', () => {
  it.each([
    ['module', 'retry.config.ts', `${TYPED}export default { url };`],
    ['module', 'retry.config.ts', `${TYPED}export default async () => ({ url });`],
    ['module', 'retry.config.js', 'export default { url: "redis://a" };'],
    ['commonjs', 'retry.config.ts', `${TYPED}export default { url };`],
    ['commonjs', 'retry.config.ts', `${TYPED}export default async () => ({ url });`],
    ['commonjs', 'retry.config.ts', `${TYPED}module.exports = { url };`],
    ['commonjs', 'retry.config.js', 'module.exports = { url: "redis://a" };'],
    ['commonjs', 'retry.config.js', 'module.exports = { __esModule: true, default: { url: "redis://a" } };'],
    [
      'commonjs',
      'retry.config.js',
      'exports.__esModule = true; exports.default = () => ({ url: "redis://a" });',
    ],
  ])('is read from a package of type %s, %s: %s', (type, name, text) => {
    const project = mkdtempSync(join(folder, 'project-'));
    writeFileSync(join(project, 'package.json'), JSON.stringify({ type }));
    writeFileSync(join(project, name), text);

    expect(readInPlainNode(project)).toBe('{"url":"redis://a"}\n');
  });
});
