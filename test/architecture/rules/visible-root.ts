const allowed: readonly string[] = [
  ...['packages', 'test', 'docs', 'package.json', 'pnpm-workspace.yaml', 'tsconfig.base.json'],
  ...['README.md', 'pnpm-lock.yaml', 'LICENSE'],
  'findings', // scripts that show what surprised us in other software
];

/** Finds visible entries of the repository's root that are not in the list; hidden ones are allowed. */
export function findStrayRootEntries(paths: readonly string[]): readonly string[] {
  const entries = new Set(paths.map((path) => path.split('/')[0] ?? ''));
  return [...entries].filter((entry) => !entry.startsWith('.') && !allowed.includes(entry));
}
