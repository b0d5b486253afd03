import { createRequire } from 'node:module';

/** The version of this package. */
export const VERSION: string = String(createRequire(import.meta.url)('@retry/cli/package.json').version);
