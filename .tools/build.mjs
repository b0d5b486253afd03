/** Builds every publishable package into its dist folder, or only those that are named: `npm run build -- core worker`. */
import { join } from 'node:path';
import { report, runBin } from './run.mjs';
import { listPublishable, root } from './workspace.mjs';

const config = join(root, '.tools', 'tsup.config.mjs');

const names = process.argv.slice(2);

for (const { name, folder } of listPublishable()) {
  if (names.length > 0 && !names.includes(name)) continue;
  report(`build ${name}`, () => runBin('tsup', 'tsup', ['--config', config], { cwd: folder }));
}
