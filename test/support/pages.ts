import { readdirSync } from 'node:fs';
import { listPackageNames } from './repository.ts';

/** Every page of the documentation, by its path from the root. */
export function listPages(): readonly string[] {
  return [
    'README.md',
    ...readdirSync(new URL('../../docs/', import.meta.url))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
    ...listPackageNames().map((name) => `packages/${name}/README.md`),
  ];
}
