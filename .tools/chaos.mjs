/** `npm run chaos -- redis`: bundles test/chaos, because a killed process is to be replaced quickly, and runs it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { run } from './run.mjs';
import { root } from './workspace.mjs';

const folder = mkdtempSync(join(root, 'node_modules', '.chaos-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

buildSync({
  entryPoints: ['main', 'worker'].map((name) => join(root, 'test', 'chaos', `${name}.ts`)),
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  // Drivers read files beside them; they are found from the folder below node_modules.
  external: ['redis', 'ioredis', 'pg'],
  bundle: true,
  format: 'esm',
  target: 'node20',
  platform: 'node',
});
const { code } = run(process.execPath, [join(folder, 'main.mjs'), ...process.argv.slice(2)], { show: true });
process.exitCode = code;
