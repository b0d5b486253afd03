import type { Problem } from '../../errors.ts';
import { InvalidOptionsError } from '../../errors.ts';
import { readOptions } from '../../fields/read-options.ts';
import { HIDDEN } from '../../secret-names.ts';
import { hideSecretsInValue, hideSecretsOfUrl } from './secrets.ts';

/**
 * Reads the options of a broker as `readOptions` does. Its errors show wrong values without passwords wherever they may be: also in an address
 * that is wrongly written.
 *
 * @throws {InvalidOptionsError} listing every problem
 */
export function readBrokerOptions<Settings>(
  ...[input, rule, read]: Parameters<typeof readOptions<Settings>>
): Settings {
  try {
    return readOptions(input, rule, read);
  } catch (error) {
    if (!(error instanceof InvalidOptionsError)) throw error;
    throw new InvalidOptionsError(error.problems.map(withoutSecrets), rule.subject);
  }
}

function withoutSecrets({ path, value, ...problem }: Problem): Problem {
  return { ...problem, path, value: shownValue(path, value) };
}

/** Text in place of an address may be the password alone. */
function shownValue(path: string, value: unknown): unknown {
  if (typeof value !== 'string' || !ADDRESS.test(path)) return hideSecretsInValue(value);
  return value.includes('://') ? hideSecretsOfUrl(value) : HIDDEN;
}

/** Options of ours and of other libraries that say where the server is. */
const ADDRESS = /url|uri|dsn|connection|client/i;
