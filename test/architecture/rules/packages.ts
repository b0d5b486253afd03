/** Types only: the program computes imports of these, which are those of the project that it is asked about. */
const LOADED = [
  ...['@retry/board', '@retry/postgres', '@retry/redis-queue'],
  ...['pg', '@electric-sql/pglite', 'tsx'],
];

/** What each package may need at run time; a package without a line here may not exist. */
const dependenciesByPackage: Readonly<Record<string, readonly string[]>> = {
  core: [],
  inprocess: ['@retry/core'],
  worker: ['@retry/core'],
  'broker-contract': ['@retry/core'],
  'redis-queue': ['@retry/core', 'redis', 'ioredis'],
  cli: ['@retry/core', '@retry/worker', ...LOADED, '(computed)'],
  board: ['@retry/core', '@retry/worker'],
  otel: ['@retry/core', '@opentelemetry/api'],
  postgres: ['@retry/core', 'pg', '@electric-sql/pglite', 'drizzle-orm', 'kysely'],
};

/** What a package installs besides: libraries of a program or a server, which nobody imports into a bundle. */
const librariesByPackage: Readonly<Record<string, readonly string[]>> = {
  cli: ['@clack/prompts', 'commander'],
  // Its page and what that is made of are strings in the package; esbuild makes them.
  board: ['hono', 'preact', '@preact/signals-core', 'esbuild'],
  worker: ['croner'],
};

/** Peers that a package cannot do without. */
const requiredPeersByPackage: Readonly<Record<string, readonly string[]>> = { otel: ['@opentelemetry/api'] };

/** The part of a package.json that the rules read. */
export interface Manifest {
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, string>>;
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, unknown>> };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** The dependencies that the package of this folder name may have; none for an unknown package. */
export function allowedDependencies(name: string): readonly string[] {
  return [...(dependenciesByPackage[name] ?? []), ...librariesOf(name)];
}

function librariesOf(name: string): readonly string[] {
  return librariesByPackage[name] ?? [];
}

/** Dependencies beyond the allowed, drivers that are not optional peers, and packages without a line in the table. */
export function findForbiddenDependencies(name: string, manifest: Manifest): readonly string[] {
  if (!(name in dependenciesByPackage)) return [`${name} is not in the table of packages`];
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifest;
  const direct = Object.keys({ ...dependencies, ...optionalDependencies });
  const peers = Object.keys(peerDependencies ?? {});
  const allowed = allowedDependencies(name);
  return [
    ...[...direct, ...peers]
      .filter((entry) => !allowed.includes(entry))
      .map((entry) => `${name} may not need ${entry}`),
    ...direct
      .filter(
        (entry) =>
          allowed.includes(entry) && !entry.startsWith('@retry/') && !librariesOf(name).includes(entry),
      )
      .map((entry) => `${name} must have ${entry} as an optional peer`),
    ...peers
      .filter((entry) => peerDependenciesMeta?.[entry]?.optional !== true)
      .filter((entry) => requiredPeersByPackage[name]?.includes(entry) !== true)
      .map((entry) => `${name} must mark its peer ${entry} optional`),
  ];
}

/** Entries whose published files are not those built from the workspace's: ./src/a.ts must become ./dist/a.js. */
export function findMismatchedExports(name: string, manifest: Manifest): readonly string[] {
  const source = manifest.exports ?? {};
  const published = manifest.publishConfig?.exports ?? {};
  const keys = new Set([...Object.keys(source), ...Object.keys(published)]);
  return [...keys]
    .filter((key) => JSON.stringify(published[key]) !== JSON.stringify(expectPublished(source[key])))
    .map((key) => `${name}: exports and publishConfig.exports disagree on ${key}`);
}

function expectPublished(path: string | undefined): unknown {
  if (!path?.endsWith('.ts')) return path;
  const built = path.replace('./src/', './dist/').slice(0, -'.ts'.length);
  return { types: `${built}.d.ts`, default: `${built}.js` };
}
