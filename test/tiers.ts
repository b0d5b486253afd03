/** What a command runs, by the projects (folders of `test/`) and the names of test files. */
export interface Tier {
  /** Projects; all of them if absent. */
  readonly projects?: readonly string[];
  /** Globs of files; those of each project if absent. */
  readonly include?: readonly string[];
  /** Globs of files that are left out. */
  readonly exclude: readonly string[];
  /** Runs of a property that names no number. */
  readonly runs: number;
}

/** What only repeats: soak tests. */
const NIGHTLY = 'test/**/*.nightly.test.ts';

/** What finds more the longer it looks. */
const RANDOM = 'test/**/*.properties.test.ts';

/** What runs only some of its tests otherwise: on a second engine, or of many that were published. */
const SAMPLED = [
  'test/core/simulate/*.long.test.ts',
  'test/board/board.test.ts',
  'test/cli/queue/*.test.ts',
  'test/conformance/postgres*.test.ts',
];

/** What takes long on one processor, without a server. */
const LONG = 'test/**/*.long.test.ts';

/** Redis, or Postgres, in a project that needs no server otherwise. */
const ON_ONE_SERVER = 'test/{conformance,contract,scenes}/{redis,postgres}*.test.ts';

/** Both servers, or programs of their own that talk to them. */
const ON_SERVERS = 'test/**/*on-servers.test.ts';

/**
 * The tiers: `quick` is `npm test`, which answers in a minute; its smoke tests alone need servers. `all` is what CI runs, and
 * what `npm test -- --project core` and other arguments choose from.
 */
export const TIERS = {
  quick: {
    projects: ['architecture', 'conformance', 'contract', 'core', 'inprocess', 'scenes', 'smoke', 'worker'],
    exclude: [NIGHTLY, LONG, ON_ONE_SERVER, ON_SERVERS],
    runs: 50,
  },
  all: { exclude: [NIGHTLY], runs: 50 },
  redis: {
    include: ['test/redis-queue/**/*.test.ts', 'test/*/redis*.test.ts'],
    exclude: [NIGHTLY],
    runs: 50,
  },
  postgres: {
    include: ['test/postgres/**/*.test.ts', 'test/*/postgres*.test.ts'],
    exclude: [NIGHTLY],
    runs: 50,
  },
  nightly: { include: [NIGHTLY, RANDOM, ...SAMPLED], exclude: [], runs: 1_000 },
} satisfies Readonly<Record<string, Tier>>;

/** Returns the tier of this name. @throws when there is none */
export function tierOf(name: string): Tier {
  if (!Object.hasOwn(TIERS, name))
    throw new Error(`There is no tier ${name}: ${Object.keys(TIERS).join(', ')}.`);
  return TIERS[name as keyof typeof TIERS]; // one of its own keys
}
