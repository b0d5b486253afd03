/** Type-checks every tsconfig.json of the repository. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { report, runBin } from './run.mjs';
import { listPackages, root } from './workspace.mjs';

const folders = [...listPackages().map(({ name }) => `packages/${name}`), 'test', 'docs'];

for (const folder of folders) {
  const project = join(root, folder, 'tsconfig.json');
  report(`types ${folder}`, () => {
    if (!existsSync(project)) return { code: 1, output: `${folder} has no tsconfig.json.` };
    // What has not changed since the last run is not checked again.
    const memory = join(root, 'node_modules', '.cache', 'types', `${folder.replace('/', '-')}.tsbuildinfo`);
    const incremental = ['--incremental', '--tsBuildInfoFile', memory];
    return runBin('typescript', 'tsc', [
      '--noEmit',
      '--pretty',
      'false',
      ...incremental,
      '--project',
      project,
    ]);
  });
}
