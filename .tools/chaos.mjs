/**
 * `npm run chaos -- redis`: bundles test/chaos, because a killed process is to be replaced quickly, and runs it; with `--blocked`,
 * the part about event loops that are blocked.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { run } from './run.mjs';
import { root } from './workspace.mjs';

const source = join(root, 'test', 'chaos');
const folder = mkdtempSync(join(root, 'node_modules', '.chaos-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

buildSync({
  entryPoints: {
    main: join(source, 'main.ts'),
    worker: join(source, 'worker.ts'),
    blocked: join(source, 'blocked', 'main.ts'),
    'blocked-member': join(source, 'blocked', 'member.ts'),
  },
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  // Drivers read files beside them; they are found from the folder below node_modules.
  external: ['redis', 'ioredis', 'pg', 'bullmq'],
  bundle: true,
  format: 'esm',
  target: 'node20',
  platform: 'node',
});
const args = process.argv.slice(2);
const script = args.includes('--blocked') ? 'blocked.mjs' : 'main.mjs';
const { code } = run(process.execPath, [join(folder, script), ...args], { show: true });
process.exitCode = code;
