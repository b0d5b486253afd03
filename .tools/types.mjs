/** Type-checks every tsconfig.json of the repository. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { reportAll, startBin } from './side-by-side.mjs';
import { listPackages, root } from './workspace.mjs';

const folders = [...listPackages().map(({ name }) => `packages/${name}`), 'test', 'docs'];

await reportAll(folders.map((folder) => ({ name: `types ${folder}`, check: () => checkTypes(folder) })));

async function checkTypes(folder) {
  const project = join(root, folder, 'tsconfig.json');
  if (!existsSync(project)) return { code: 1, output: `${folder} has no tsconfig.json.` };
  // What has not changed since the last run is not checked again.
  const memory = join(root, 'node_modules', '.cache', 'types', `${folder.replace('/', '-')}.tsbuildinfo`);
  const incremental = ['--incremental', '--tsBuildInfoFile', memory];
  const args = ['--noEmit', '--pretty', 'false', ...incremental, '--project', project];
  return startBin('typescript', 'tsc', args);
}
