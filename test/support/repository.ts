import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const root: string = fileURLToPath(new URL('../..', import.meta.url));

/** Reads a file by its path from the root. */
export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Folder names below packages/, those with a package.json. */
export function listPackageNames(): readonly string[] {
  return readdirSync(join(root, 'packages'))
    .filter((name) => existsSync(join(root, 'packages', name, 'package.json')))
    .sort();
}

/** TypeScript files below a folder, as paths from the root with `/`; none when it does not exist. */
export function listTypeScript(folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `${folder}/${file.split(sep).join('/')}`)
    .sort();
}

/**
 * Everything in the repository that git does not ignore, as paths from the root, whether committed yet or not;
 * in a copy without git, the files of the root apart from node_modules.
 */
export function listRepository(): readonly string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) return readdirSync(root).filter((name) => name !== 'node_modules');
  return stdout.split('\n').filter((path) => path !== '' && existsSync(join(root, path)));
}
