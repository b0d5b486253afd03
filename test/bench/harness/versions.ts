import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The installed versions of packages, `bullmq 6.7.0`. */
export function readVersions(names: readonly string[]): readonly string[] {
  return names.map((name) => `${name} ${versionOf(name)}`);
}

function versionOf(name: string): string {
  const paths = createRequire(import.meta.filename).resolve.paths(name) ?? [];
  for (const path of paths) {
    try {
      return String(JSON.parse(readFileSync(`${path}/${name}/package.json`, 'utf8')).version);
    } catch {
      // not in this folder
    }
  }
  return 'of an unknown version';
}
